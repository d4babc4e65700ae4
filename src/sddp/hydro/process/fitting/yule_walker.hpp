#pragma once

#include <optional>
#include <vector>

#include "sddp/hydro/process/fitting/moments.hpp"

namespace lockstep::sddp {

/// Standardised coefficients of one calendar month.
struct MonthFit {
    std::vector<double> coefficients;  ///< φ*_1 …
    double annual = 0;                 ///< ψ of the yearly mean before

    [[nodiscard]] int order() const noexcept { return static_cast<int>(coefficients.size()); }
};

/// Periodic Yule-Walker equations of a month and order >= 1; nothing when they are singular.
/// @par Source  [MaceiraBezerra1997], section 3
std::optional<MonthFit> fit_classical(const MonthlyMoments& moments, int month, int order);

/// The same, with the mean of the 12 months before as one more regressor.
std::optional<MonthFit> fit_with_annual(const MonthlyMoments& moments, int month, int order);

/// Correlation of z_t with z_{t-lag} given the values between: the last coefficient of that order;
/// 0 when singular.
double partial_correlation(const MonthlyMoments& moments, int month, int lag);

/// Correlation of z_t with z_{t-lag} given the values between and the mean of the 12 months before
/// t.
double partial_correlation_given_annual(const MonthlyMoments& moments, int month, int lag);

}  // namespace lockstep::sddp
