#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/sddp/problem.hpp"

#include "formats/cobre/policy/manifest_file.hpp"
#include "formats/cobre/policy/pool_file.hpp"

namespace lockstep::formats::cobre::out {

// Whether a policy is one of a case. All throw InputError: the first difference.

/// Its stages, nodes and transitions are the problem's.
void check_graph(const Manifest& manifest, const sddp::Problem& problem, const std::string& file);

/// The cuts are those after a node, and the end of its stage is the day that they price.
void check_place(const Pool& pool, const sddp::Problem& problem, int node, const std::string& file);

/// Its state is the one after a stage.
/// @return for each variable of the problem its place in the pool; none where no cut of the problem
///         has a slope by it
std::vector<std::optional<std::size_t>> check_state(const Pool& pool,
                                                    const sddp::Problem& problem,
                                                    int stage,
                                                    const std::string& file);

/// Seasons and orders of inflow models agree, where both have memory.
void check_seasons(const Manifest& manifest, const sddp::Problem& problem, const std::string& file);

}  // namespace lockstep::formats::cobre::out
