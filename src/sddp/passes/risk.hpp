#pragma once

#include <span>

#include "lockstep/sddp/calendar.hpp"

namespace lockstep::sddp {

/// Equation (3): weights under which the mean of costs is the risk measure.
///
/// The costliest outcomes get up to (1 - λ)·p + λ·p/α each until the weights sum to 1; ties go to
/// the lower index.
/// @param probability  [n], n >= 1, p of each outcome
/// @param cost         [n]
/// @param weight       [n], out: >= 0, sum 1
/// @par Source  [RockafellarUryasev2002], Proposition 8
void risk_weights(const RiskMeasure& measure,
                  std::span<const double> probability,
                  std::span<const double> cost,
                  std::span<double> weight);

/// Σ weight · cost in index order.
double weighted_sum(std::span<const double> weight, std::span<const double> cost);

}  // namespace lockstep::sddp
