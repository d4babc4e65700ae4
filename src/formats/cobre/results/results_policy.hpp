#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "lockstep/formats/cobre/results.hpp"

namespace lockstep::formats::cobre::out {

/// Cuts of a stage as their file has them; none that are switched off.
struct CutRows {
    std::vector<double> intercept;            ///< [cuts] [$]
    std::vector<std::vector<double>> slopes;  ///< [cuts][state variables], as read_state()
};

/// The state after a stage of a chain, in the order of its cuts' slopes.
/// @throws IoError, InputError
std::vector<StateVariable> read_state_after(const std::filesystem::path& policy, std::size_t stage);

/// Whether the policy is one of a graph, with a file a node.
/// @throws IoError, InputError
bool has_nodes(const std::filesystem::path& policy);

/// @throws IoError, InputError  also where a cut has another number of slopes than `width`
CutRows read_cut_rows(const std::filesystem::path& policy, std::size_t stage, std::size_t width);

}  // namespace lockstep::formats::cobre::out
