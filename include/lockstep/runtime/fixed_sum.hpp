#pragma once

#include <span>

namespace lockstep::runtime {

/// Sum in an order that depends on the length alone: eight running sums, element i into sum i mod
/// 8, which are then folded 0+4, 1+5, 2+6, 3+7, then 0+2, 1+3, then 0+1. Empty gives 0.
double fixed_sum(std::span<const double> values);

/// Σ a_i b_i in the order of fixed_sum, each product fused with its addition.
/// @throws AssertionError  lengths differ
double fixed_dot(std::span<const double> a, std::span<const double> b);

/// Sum of one value an item by a pairwise tree over item numbers: [0, n) splits at the largest
/// power of two below n. Its rounding error grows with log n, so that it serves long lists. Empty
/// gives 0.
double tree_sum(std::span<const double> items);

}  // namespace lockstep::runtime
