#pragma once

#include <optional>
#include <vector>

#include "sddp/hydro/process/fitting/moments.hpp"

namespace lockstep::sddp {

/// Standardised coefficients of one calendar season.
struct SeasonFit {
    std::vector<double> coefficients;  ///< φ*_1 …
    double annual = 0;                 ///< ψ of the yearly mean before

    [[nodiscard]] int order() const noexcept { return static_cast<int>(coefficients.size()); }
};

/// Periodic Yule-Walker equations of a season and order >= 1; nothing when they are singular.
/// @par Source  [MaceiraBezerra1997], section 3
std::optional<SeasonFit> fit_classical(const SeasonMoments& moments, int season, int order);

/// The same, with the mean of the 12 seasons before as one more regressor.
std::optional<SeasonFit> fit_with_annual(const SeasonMoments& moments, int season, int order);

/// Correlation of z_t with z_{t-lag} given the values between: the last coefficient of that order;
/// 0 when singular.
double partial_correlation(const SeasonMoments& moments, int season, int lag);

/// Correlation of z_t with z_{t-lag} given the values between and the mean of the 12 seasons before
/// t.
double partial_correlation_given_annual(const SeasonMoments& moments, int season, int lag);

}  // namespace lockstep::sddp
