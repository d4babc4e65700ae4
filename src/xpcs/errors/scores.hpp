#pragma once

#include <span>
#include <vector>

#include <Eigen/Dense>

#include "lockstep/xpcs/fit.hpp"

#include "xpcs/model/scaling.hpp"
#include "xpcs/model/summation.hpp"

namespace lockstep::xpcs {

/// A fit's model at its minimum, for what goes over the residuals pair by pair.
struct FittedModel {
    FittedModel(const Measurement& measurement, const FitOptions& options, const FitResult& fit);

    Scaling scaling;
    PairModel model;
    std::vector<AngleData> data;  ///< [angles]
};

/// What residuals at an angle pull the fit's values by: a sum over pairs for each column that the
/// angle has, contrast, offset and the physical parameters.
inline constexpr int most_columns = 9;

/// Adds Σ over angles of (map)ᵀ spread (map), where map takes an angle's columns to the fit's
/// values; [values, values].
void add_spread(const Scaling& scaling,
                int angle,
                const Eigen::MatrixXd& spread,
                Eigen::MatrixXd& sum);

}  // namespace lockstep::xpcs
