#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sddp/process/fitting/history.hpp"

namespace lockstep::sddp {

/// Standardised coefficients φ*_1 … of every calendar month, January first; empty for white noise.
using PeriodicCoefficients = std::array<std::vector<double>, months_per_year>;

/// Second moments of a periodic autoregression of unit variance.
struct Closure {
    std::array<double, months_per_year> residual_ratio{};  ///< residual std / std
};

/// Solves the periodic Yule-Walker equations for the autocorrelations ρ_m(k) that the coefficients
/// imply, whence the residual ratio sqrt(1 - Σ_j φ*_{m,j} ρ_m(j)).
///
/// `why_not` tells why there is no stationary process with these coefficients; the result is empty
/// then.
std::optional<Closure> periodic_closure(const PeriodicCoefficients& coefficients,
                                        std::string& why_not);

}  // namespace lockstep::sddp
