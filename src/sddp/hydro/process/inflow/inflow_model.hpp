#pragma once

#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// The inflow model with what only reports need.
struct BuiltInflowModel {
    InflowModel model;
    std::vector<std::vector<double>> residual_ratio;  ///< [hydros], by number in SeasonRings
};

enum class CoefficientSource { given, fitted };

/// Turns complete tables into coefficients in original units, with φ* and ψ standardised, s and μ
/// of the stage:
///
///     z = b + Σ_l ψ_l z_{t-l} + σ η,   ψ_l = φ*_l s/s_l + [l <= 12] ψ s/(12 s^A),
///     b = μ - Σ_l ψ_l μ_l,             σ = s · residual ratio,
///
/// where s^A is the deviation of the yearly mean and the ratio is that of `periodic_closure`.
/// Without a row of statistics inflow is 0. The closure takes the coefficients of seasons that the
/// study does not hold from rows of stages before it; seasons without rows are white noise.
///
/// The lag l of a stage is the season l + 1 before that of the stage (StatePlaces), whatever the
/// lengths of the stages. A model with memory needs a season map, stages that meet their seasons
/// and do not overlap, in a weekly cycle stages within one week; a yearly part needs months.
/// Coefficients that are not stationary, that differ between stages of one season, that stand on a
/// stage without season or where s = 0, and lags that are read but not covered are problems. Fitted
/// coefficients at or beyond the unit root are only warned about as long as every season has a
/// residual variance.
BuiltInflowModel build_inflow_model(const Calendar& calendar,
                                    const System& system,
                                    const ProcessData& tables,
                                    CoefficientSource source,
                                    Problems& problems);

}  // namespace lockstep::sddp
