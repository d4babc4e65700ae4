#pragma once

#include <string>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/base/digest.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/xpcs/fit.hpp"

namespace lockstep::app {

/// A measurement with what is to be done to it: all that the later stages of an analysis need.
struct Dataset {
    formats::homodyne::Configuration configuration{};
    formats::homodyne::Loaded loaded{};
    xpcs::FitOptions fitting{};
    std::vector<std::string> notes{};  ///< what was decided, for people
    Digest measurement_digest{};
    Digest input_digest{};  ///< of the measurement and the configuration's text

    [[nodiscard]] const xpcs::Measurement& measurement() const noexcept {
        return loaded.measurement;
    }
};

/// The first stage: reads what `request` names. Needs no ranks and no output.
/// @throws InputError, IoError, NotBuiltError
Dataset load_dataset(const XpcsRequest& request);

}  // namespace lockstep::app
