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
    std::vector<int> fitted;      ///< places of the physical parameters that were
};

/// What residuals at an angle pull the fit's values by: a sum over pairs for each column that the
/// angle has, contrast, offset and the physical parameters.
inline constexpr int most_columns = 9;

/// Adds (map)ᵀ spread (map) of an angle, where map takes its columns to the fit's values; [values,
/// values].
void add_spread(const FittedModel& fitted,
                int angle,
                const Eigen::MatrixXd& spread,
                Eigen::MatrixXd& sum);

}  // namespace lockstep::xpcs
