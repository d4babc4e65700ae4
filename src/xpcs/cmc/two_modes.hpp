#pragma once

#include <span>

namespace lockstep::xpcs::cmc {

/// Whether draws of one quantity lie about two separate values: a mixture of two normal densities,
/// each with a fifth of the draws or more, whose means are four of their standard deviations
/// apart. Skewed draws and draws with long tails do not.
bool has_two_modes(std::span<const double> draws);

}  // namespace lockstep::xpcs::cmc
