#pragma once

#include "xpcs/nlsq/dense.hpp"

namespace lockstep::xpcs::nlsq {

/// Residuals r and their Jacobian J at a point, as far as least squares need them: |J s + r|² is
/// |root s + rest|² and a constant.
struct LinearModel {
    Matrix root{};          ///< [k, p], k <= p: rootᵀ root = JᵀJ
    Vector rest{};          ///< [k]: rootᵀ rest = Jᵀr
    Vector gradient{};      ///< [p] Jᵀr
    Vector columns{};       ///< [p] lengths of J's columns
    double length = 0;      ///< √(2 cost): |r| without a loss
    double resolution = 0;  ///< singular values below this part of the largest are noise

    /// Nothing overflowed.
    [[nodiscard]] bool is_finite() const;
};

/// From the triangle R and Qᵀr of a QR decomposition of J, so that nothing is squared.
LinearModel model_of_triangle(Matrix triangle, Vector rest, double length, double rows);

/// From JᵀJ and Jᵀr. Half of the digits are lost in the squares: the resolution is that of a square
/// root of rounding.
LinearModel model_of_gram(const Matrix& gram, const Vector& gradient, double length);

}  // namespace lockstep::xpcs::nlsq
