#pragma once

#include <cstddef>
#include <span>

namespace lockstep::xpcs::nlsq {

/// A sum of squares that is known by its residuals and their Jacobian, which is held whole.
///
/// Slower and larger than an Objective, but twice as many digits of the parameters survive: steps
/// come from the Jacobian itself, not from its square.
class Residuals {
public:
    virtual ~Residuals() = default;
    Residuals() = default;
    Residuals(const Residuals&) = delete;
    Residuals& operator=(const Residuals&) = delete;

    [[nodiscard]] virtual std::ptrdiff_t count() const = 0;
    [[nodiscard]] virtual int parameters() const = 0;
    /// @param residuals  [count] to fill
    /// @param jacobian  [count, parameters] to fill, or empty when it is not asked for
    /// @returns whether all of it is finite; if not, the contents are unspecified
    virtual bool evaluate(std::span<const double> x,
                          std::span<double> residuals,
                          std::span<double> jacobian) = 0;
};

}  // namespace lockstep::xpcs::nlsq
