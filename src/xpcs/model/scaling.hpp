#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/xpcs/model/scale.hpp"

namespace lockstep::xpcs {

/// Contrasts and offsets of all angles as linear functions of coefficients: contrast = Σ c_k b_k(φ)
/// and offset = Σ o_k b_k(φ) with the same functions b.
class Scaling {
public:
    /// @throws InputError  constant without a scale for each angle, or too few angles for a series
    Scaling(const ScaleOptions& options, std::span<const double> angles);

    /// All contrasts' coefficients come first, then the offsets'.
    [[nodiscard]] int coefficients() const noexcept { return 2 * functions_; }
    [[nodiscard]] int functions() const noexcept { return functions_; }
    [[nodiscard]] double basis(int angle, int function) const noexcept {
        return basis_[static_cast<std::size_t>(angle * functions_ + function)];
    }
    /// Over the angles, of two of the functions.
    [[nodiscard]] double covariance(int p, int q, int angles) const noexcept;
    [[nodiscard]] Scale scale_of(int angle, std::span<const double> coefficients) const noexcept;
    /// Adds pull of the coefficients a towards each other to every sum of squares: aᵀ P a.
    /// @param matrix  [coefficients, coefficients], symmetric
    void set_penalty(std::vector<double> matrix) { penalty_ = std::move(matrix); }
    [[nodiscard]] bool has_penalty() const noexcept { return !penalty_.empty(); }
    [[nodiscard]] double penalty(int row, int column) const noexcept {
        return penalty_[static_cast<std::size_t>(row * coefficients() + column)];
    }
    [[nodiscard]] std::span<const double> lower() const noexcept { return lower_; }
    [[nodiscard]] std::span<const double> upper() const noexcept { return upper_; }

private:
    int functions_;
    std::vector<double> basis_;  // [angles, functions]
    std::vector<Scale> given_;   // constant: [angles]
    std::vector<double> lower_;  // [coefficients]
    std::vector<double> upper_;
    std::vector<double> penalty_;  // empty: none
};

}  // namespace lockstep::xpcs
