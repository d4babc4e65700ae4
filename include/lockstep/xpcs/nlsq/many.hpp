#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lockstep/xpcs/nlsq/trust_region.hpp"

namespace lockstep::xpcs::nlsq {

/// Fills the costs [n] of points [n, p], in any order and on as many threads or ranks as there are;
/// infinity or NaN where there is none. The same bits whoever computes them.
using EvaluateMany = std::function<void(std::span<const double> points, std::span<double> costs)>;

/// Local fits from starts [n, p], in their order.
using FitMany = std::function<std::vector<Fit>(std::span<const double> starts)>;

/// One after the other, on the calling thread. The objective has to outlive what is returned.
EvaluateMany evaluate_in_turn(Objective& objective);
FitMany fit_in_turn(Objective& objective, Box box, TrustRegionOptions options);

}  // namespace lockstep::xpcs::nlsq
