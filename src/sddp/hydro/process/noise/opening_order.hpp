#pragma once

#include <vector>

#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// A short path through the openings of a stage: neighbours have similar right-hand sides, so that
/// the optimal basis of one is a good start for the next. Nearest neighbour from the calmest
/// opening, then 2-opt. A function of the problem alone.
/// @return opening indices, each once
std::vector<int> opening_order(const Problem& problem, int stage);

}  // namespace lockstep::sddp
