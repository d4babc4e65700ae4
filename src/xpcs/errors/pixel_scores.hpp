#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "xpcs/errors/scores.hpp"
#include "xpcs/errors/speckle.hpp"

namespace lockstep::xpcs {

/// What one simulated pixel adds.
struct PixelScore {
    std::array<double, most_columns> pull{};  ///< Σ over pairs of column · deviation
    double squares = 0;                       ///< mean over pairs of deviation²
};

/// Pixels [first, first + scores.size()) of an angle, a multiple of Speckle::width of them. A
/// pixel's deviation of pair (i, j) is what it changes in c2 = <n_i n_j> / (<n_i> <n_j>), to first
/// order.
void score_pixels(const FittedModel& fitted,
                  const Speckle& speckle,
                  int angle,
                  std::int64_t first,
                  std::span<PixelScore> scores);

}  // namespace lockstep::xpcs
