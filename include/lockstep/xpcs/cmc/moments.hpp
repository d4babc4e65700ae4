#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/matrix_view.hpp"

namespace lockstep::xpcs::cmc {

/// Mean and covariance of a posterior.
struct Moments {
    std::vector<double> mean;        ///< [n]
    std::vector<double> covariance;  ///< [n][n], row by row

    [[nodiscard]] int dimension() const noexcept { return static_cast<int>(mean.size()); }
    [[nodiscard]] double variance(int i) const;
    [[nodiscard]] double sd(int i) const;
};

/// Of draws [draws][n]; divisor draws - 1.
/// @throws InputError  fewer than two draws
Moments moments_of(MatrixView<const double> draws);

/// Draws [count][n] of the normal distribution of these moments, a function of (seed, task).
/// @throws InputError  the covariance is not positive definite
std::vector<double> normal_draws(const Moments& moments,
                                 int count,
                                 std::uint64_t seed,
                                 std::uint32_t task);

/// How a posterior differs from a reference.
struct PosteriorDifference {
    std::vector<double> shift;        ///< [n], difference of means in sds of the reference
    std::vector<double> width_ratio;  ///< [n], sd by sd of the reference
    /// [n][n], difference of correlations; 0 where a variance is 0
    std::vector<double> correlation_difference;

    [[nodiscard]] double largest_shift() const;
    [[nodiscard]] double largest_correlation_difference() const;
};
/// @throws InputError  dimensions differ
PosteriorDifference compare(const Moments& found, const Moments& reference);

}  // namespace lockstep::xpcs::cmc
