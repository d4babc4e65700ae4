#pragma once

namespace lockstep::xpcs::nlsq {

/// What a residual adds to the cost: scale² ρ((r / scale)²) / 2.
///
/// linear: ρ(z) = z; soft_l1: 2 (√(1 + z) - 1); huber: z up to 1, then 2 √z - 1; cauchy: ln(1 + z);
/// arctan: atan z. All grow like z for small residuals; the others less for large ones, so that
/// outliers count for less.
struct Loss {
    enum class Kind { linear, soft_l1, huber, cauchy, arctan };
    Kind kind = Kind::linear;
    double scale = 1;  ///< in the unit of the residuals, > 0: where they begin to be outliers
};

/// ρ and its derivatives at z >= 0.
struct LossValue {
    double value;
    double first;
    double second;
};
LossValue loss_value(Loss::Kind kind, double z) noexcept;

/// What a row of the Jacobian is multiplied by so that its square has the loss's curvature along
/// the residual [Triggs2000]. Where that is negative or small a part of the slope stands in, so
/// that outliers hold the step back.
double curvature_weight(const LossValue& rho, double z) noexcept;

}  // namespace lockstep::xpcs::nlsq
