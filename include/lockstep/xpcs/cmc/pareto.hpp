#pragma once

#include <span>
#include <vector>

namespace lockstep::xpcs::cmc {

/// Importance weights whose largest were replaced by those expected of a generalised Pareto tail.
struct SmoothedWeights {
    std::vector<double> log_weights;  ///< normalised: the weights sum to 1
    /// Shape of the tail: below 0.5 means can be relied on, beyond 0.7 the proposal is too far
    /// off. +infinity when the tail has too few distinct weights; -infinity when all weights are
    /// equal.
    double k = 0;
    double effective_size = 0;  ///< 1 / Σ w²: equation (25) of docs/xpcs/theory.md
};

/// Smooths the largest min(n / 5, 3 √(n / relative_efficiency)) of n weights.
/// @param log_weights  not NaN and not +infinity; -infinity is a weight of 0
/// @param relative_efficiency  effective share of the draws: 1 for independent ones
/// @throws InputError  no weight above 0, or a value that is not allowed
/// @par Source  [Vehtari2024]; the tail is fitted by [ZhangStephens2009]
SmoothedWeights smooth_weights(std::span<const double> log_weights, double relative_efficiency = 1);

/// Generalised Pareto distribution of exceedances above 0.
struct ParetoFit {
    double k = 0;
    double sigma = 0;
};
/// @param exceedances  ascending, at least 5
ParetoFit fit_pareto(std::span<const double> exceedances);

}  // namespace lockstep::xpcs::cmc
