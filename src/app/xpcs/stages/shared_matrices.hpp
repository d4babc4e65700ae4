#pragma once

#include <cstdint>

#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/runtime/team.hpp"

namespace lockstep::app {

/// A measurement that the ranks of a node hold once.
struct SharedMatrices {
    formats::homodyne::Loaded loaded{};
    std::int64_t borrowed_bytes = 0;  ///< that this rank reads and another one holds
};

/// Each rank of a node reads its part of the matrices into memory of the node; where memory cannot
/// be shared, each reads all. Collective.
/// @throws as formats::homodyne::load(), on all ranks
SharedMatrices load_shared(const formats::homodyne::Configuration& configuration,
                           runtime::Team& team);

}  // namespace lockstep::app
