#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace lockstep::xpcs::nlsq {

/// A cost, or infinity for one that is not a number.
inline double comparable(double cost) {
    return std::isnan(cost) ? std::numeric_limits<double>::infinity() : cost;
}

/// Numbers of the costs from the least on, equal ones by number.
std::vector<int> order_by_cost(std::span<const double> costs);

}  // namespace lockstep::xpcs::nlsq
