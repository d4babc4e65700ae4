#pragma once

#include <array>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

#include "sddp/hydro/process/fitting/history.hpp"

namespace lockstep::sddp {

/// The inflow model with what only reports need.
struct BuiltInflowModel {
    InflowModel model;
    std::vector<std::array<double, months_per_year>>
        residual_ratio;  ///< [hydros], by calendar month
};

enum class CoefficientSource { given, fitted };

/// Turns complete tables into coefficients in original units, with φ* and ψ standardised, s and μ
/// of the stage:
///
///     z = b + Σ_l ψ_l z_{t-l} + σ η,   ψ_l = φ*_l s/s_l + [l <= 12] ψ s/(12 s^A),
///     b = μ - Σ_l ψ_l μ_l,             σ = s · residual ratio,
///
/// where s^A is the deviation of the yearly mean and the ratio is that of `periodic_closure`.
/// Without a row of statistics inflow is 0. The closure takes the coefficients of months that the
/// study does not hold from rows of stages before it; months without rows are white noise.
///
/// A model with memory needs stages that are calendar months of a monthly season map; anything else
/// is not supported yet. Coefficients that are not stationary, that differ between stages of one
/// month, that stand on a stage without season or where s = 0, and initial lags that are read but
/// not observed are problems. Fitted coefficients at or beyond the unit root are only warned about
/// as long as every month has a residual variance.
BuiltInflowModel build_inflow_model(const Calendar& calendar,
                                    const System& system,
                                    const ProcessData& tables,
                                    CoefficientSource source,
                                    Problems& problems);

}  // namespace lockstep::sddp
