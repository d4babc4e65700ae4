#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep::sddp {

/// The coefficients of the seasons of a cycle, which follow each other and begin anew.
struct PeriodicCoefficients {
    std::vector<std::vector<double>> seasons;  ///< φ*_1 …, standardised; empty for white noise
    std::vector<std::string> names;            ///< [seasons], for messages
};

/// Second moments of a periodic autoregression of unit variance.
struct Closure {
    std::vector<double> residual_ratio;  ///< [seasons], residual std / std, >= 0
    std::string doubt;                   ///< why the process is not stationary; empty: it is
};

/// Solves the periodic Yule-Walker equations for the autocorrelations ρ_m(k) that the coefficients
/// imply, whence the residual ratio sqrt(1 - Σ_j φ*_{m,j} ρ_m(j)).
///
/// At and beyond the unit root, where a disturbance does not die out, where |ρ| > 1 or a season
/// leaves no residual variance, the closure has a `doubt`. Where there is none (the equations have
/// no solution, or a variance is negative) the result is empty and `why_not` says so.
/// @par Source  [MaceiraBezerra1997], section 3
std::optional<Closure> periodic_closure(const PeriodicCoefficients& coefficients,
                                        std::string& why_not);

}  // namespace lockstep::sddp
