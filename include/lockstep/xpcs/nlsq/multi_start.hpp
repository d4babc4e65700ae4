#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/xpcs/nlsq/box.hpp"
#include "lockstep/xpcs/nlsq/many.hpp"

namespace lockstep::xpcs::nlsq {

struct MultiStartOptions {
    int starts = 10;    ///< drawn, beside the caller's; >= 1
    double kept = 0.5;  ///< part of the drawn ones that are fitted, those of least cost
    int kept_at_least = 3;
    std::uint64_t seed = 0;
    double near_best =
        0.1;  ///< minima whose cost is higher than the best's by this part do not count
    double same_basin =
        0.01;  ///< largest distance of minima of one basin, as a part of the box's widths
};

/// Fits that ended at the same minimum.
struct Basin {
    int best = 0;                ///< number of its fit of least cost
    std::vector<int> members{};  ///< numbers of its fits, by cost
};

struct MultiStart {
    std::vector<double>
        starts{};             ///< [fits, p]: the caller's, then those of the drawn that were kept
    std::vector<Fit> fits{};  ///< [fits]
    int best = 0;             ///< number of the fit of least cost
    /// Of the fits whose cost is near the best's, by cost. More than one: the data do not tell
    /// which of the minima is meant.
    std::vector<Basin> basins{};
};

/// Local fits from the caller's start and from the best points of a Latin hypercube in the box.
///
/// Equal costs go by number, so that the result does not depend on who computed what first.
/// @throws InputError  a parameter without two finite bounds, a start outside them, options out of
/// range
/// @throws ModelError  no start has a finite cost
MultiStart multi_start(std::span<const double> start,
                       const Box& box,
                       const EvaluateMany& evaluate,
                       const FitMany& fit,
                       const MultiStartOptions& options = {});

}  // namespace lockstep::xpcs::nlsq
