#pragma once

#include <cstdint>
#include <filesystem>

#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/runtime/team.hpp"

namespace lockstep::app {

/// Which matrices are kept in a file instead of memory.
struct MatrixStorage {
    std::filesystem::path folder{};       ///< of the file
    std::int64_t largest_in_memory = -1;  ///< [bytes] larger ones; below 0: none

    [[nodiscard]] bool takes(std::int64_t bytes) const noexcept {
        return largest_in_memory >= 0 && bytes > largest_in_memory;
    }
};

/// A measurement that the ranks of a node hold once.
struct SharedMatrices {
    formats::homodyne::Loaded loaded{};
    std::int64_t borrowed_bytes = 0;  ///< that this rank reads and another one holds
};

/// Each rank of a node reads its part of the matrices into memory of the node, or into a file
/// without a name that is read as memory is; where memory cannot be shared, each reads all.
/// Collective.
/// @throws as formats::homodyne::load(), on all ranks; IoError  the disk has no room
SharedMatrices load_shared(const formats::homodyne::Configuration& configuration,
                           runtime::Team& team,
                           const MatrixStorage& storage = {});

}  // namespace lockstep::app
