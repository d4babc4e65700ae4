#pragma once

#include <Eigen/Dense>

#include "xpcs/model/pair_sums.hpp"
#include "xpcs/model/scaling.hpp"

namespace lockstep::xpcs {

/// Sums of all angles, of residuals from scales with the reference's coefficients; a square of an
/// angle counts by its weight.
struct WeightedSums {
    std::span<const AngleSums> sums{};    ///< [angles]
    std::span<const double> weights{};    ///< [angles]
    std::span<const double> reference{};  ///< [coefficients]
};

/// The normal equations of the scaling's coefficients, equation (10) of docs/xpcs/theory.md:
/// matrix · change = right, where the change is from the reference. Sizes are those of the
/// coefficients already.
void assemble(const Scaling& scaling,
              const WeightedSums& of,
              Eigen::MatrixXd& matrix,
              Eigen::VectorXd& right);

/// What a change of the coefficients comes to at an angle.
Scale change_at(const Scaling& scaling, int angle, const Eigen::VectorXd& change);

/// Σ (residual - change)² of an angle, without its weight.
double squares_after(const AngleSums& sums, const Scale& change);

}  // namespace lockstep::xpcs
