#pragma once

#include <span>

namespace lockstep::runtime {

/// Mean and spread of independent costs.
struct Sample {
    double mean = 0;
    double std = 0;            ///< divisor n - 1, 0 for one value
    double half_width_95 = 0;  ///< 1.96·std/√n
};

/// Two passes with sums over a fixed tree: equal bits however the costs were computed. Without
/// costs all figures are 0.
Sample sample_of(std::span<const double> costs);

}  // namespace lockstep::runtime
