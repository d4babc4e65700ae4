#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "lockstep/sddp/policy.hpp"

#include "formats/cobre/policy/slots.hpp"

namespace lockstep::formats::cobre::out {

/// States that training left a node with: states/NNN.bin.
struct VisitedStates {
    int pool = 0;  ///< number of the file
    int node_id = -1;
    std::vector<Slot> slots;                  ///< of the state, in the order of the numbers
    std::vector<std::vector<double>> states;  ///< [states][slots]
};

std::filesystem::path states_path(const std::filesystem::path& directory, std::size_t pool);

/// Puts the numbers in Cobre's order.
/// @throws IoError
void write_states(const std::filesystem::path& path,
                  const VisitedStates& about,
                  const sddp::StageStates& states);

/// @throws IoError, InputError
VisitedStates read_states(const std::filesystem::path& path);

}  // namespace lockstep::formats::cobre::out
