#pragma once

#include <span>
#include <vector>

namespace lockstep::xpcs::nlsq {

/// Half the sum of squares at a point, and what a Gauss-Newton step needs of it.
struct NormalEquations {
    double cost = 0;               ///< Σ ρ(r²) / 2
    std::vector<double> gradient;  ///< [p]: Jᵀr
    std::vector<double> gram;      ///< [p, p]: JᵀJ, symmetric
};

/// A sum of squares that is known by its normal equations, so that the Jacobian is never held:
/// memory is O(p²) whatever the number of residuals.
class Objective {
public:
    virtual ~Objective() = default;
    Objective() = default;
    Objective(const Objective&) = delete;
    Objective& operator=(const Objective&) = delete;

    [[nodiscard]] virtual int parameters() const = 0;
    /// Fills `at`, whose vectors it sizes.
    /// @returns whether the cost is finite there; if not, `at` is unspecified
    virtual bool evaluate(std::span<const double> x, NormalEquations& at) = 0;
};

}  // namespace lockstep::xpcs::nlsq
