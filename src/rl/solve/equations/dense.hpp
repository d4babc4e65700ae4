#pragma once

#include <vector>

#include "lockstep/rl/rows.hpp"

namespace lockstep::rl {

constexpr int most_dense_states = 300;

/// v = R + gamma·Pv of a table with at most one pair a state, by elimination with row pivots.
/// Empty where a pivot is 0.
std::vector<double> dense_values(const RowTable& policy, double gamma);

}  // namespace lockstep::rl
