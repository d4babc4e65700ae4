#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/base/digest.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/fit.hpp"

#include "app/xpcs/stages/shared_matrices.hpp"

namespace lockstep::app {

/// A measurement with what is to be done to it: all that the later stages of an analysis need.
struct Dataset {
    formats::homodyne::Configuration configuration{};
    formats::homodyne::Loaded loaded{};
    xpcs::FitOptions fitting{};
    std::vector<std::string> notes{};  ///< what was decided, for people
    Digest measurement_digest{};
    Digest input_digest{};            ///< of the measurement and the configuration's text
    std::int64_t borrowed_bytes = 0;  ///< that this rank reads and another one holds

    [[nodiscard]] const xpcs::Measurement& measurement() const noexcept {
        return loaded.measurement;
    }
};

/// What is to be done to a measurement that was read.
/// @param configuration_text  that the configuration is of
/// @throws InputError
Dataset dataset_of(const XpcsRequest& request,
                   const std::string& configuration_text,
                   formats::homodyne::Configuration configuration,
                   formats::homodyne::Loaded loaded);

/// The request with the start values of its `nlsq_result`, which is then empty.
/// @throws IoError  there is none; InputError  it is damaged, and how
XpcsRequest with_start_of_result(XpcsRequest request);

/// Where the matrices are kept when so many measurements are in memory at once.
MatrixStorage storage_of(const XpcsRequest& request, int measurements = 1);

/// The first stage for one of several datasets that are in memory at once: reads what `request`
/// names.
/// @throws InputError, IoError, NotBuiltError
Dataset load_dataset(const XpcsRequest& request);

/// The same with the measurement once a node: its ranks read some matrices each. Collective.
/// @throws as load_dataset(), on all ranks
Dataset load_shared_dataset(const XpcsRequest& request, runtime::Team& team);

}  // namespace lockstep::app
