#pragma once

#include <span>

#include "lockstep/sddp/calendar.hpp"

namespace lockstep::sddp {

/// Equation (3): weights under which the mean of costs, with an offset, is the risk measure; of
/// other costs it is a lower bound of the measure.
///
/// Of CVaR the costliest outcomes get up to (1 - λ)·p + λ·p/α each until the weights sum to 1; ties
/// go to the lower index. The offset is 0 but for the entropic measure, whose weights are the
/// probabilities tilted by e^(γ·cost) [FoellmerSchied2002].
/// @param probability  [n], n >= 1, p of each outcome
/// @param cost         [n]
/// @param weight       [n], out: >= 0, sum 1
/// @return  the offset
/// @par Source  [RockafellarUryasev2002], Proposition 8
double risk_weights(const RiskMeasure& measure,
                    std::span<const double> probability,
                    std::span<const double> cost,
                    std::span<double> weight);

/// The risk measure of costs, infinite where one of them is. Allocates.
double risk_of(const RiskMeasure& measure,
               std::span<const double> probability,
               std::span<const double> cost);
/// The same of equally likely ones.
double risk_of(const RiskMeasure& measure, std::span<const double> cost);

/// Σ weight · cost in index order.
double weighted_sum(std::span<const double> weight, std::span<const double> cost);

}  // namespace lockstep::sddp
