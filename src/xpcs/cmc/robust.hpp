#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/cmc/diagnostics.hpp"

namespace lockstep::xpcs::cmc {

/// A variance below this share of the median one counts as none.
constexpr double smallest_variance_share = 1e-6;

double median_of(std::vector<double> values);

/// Which values lie within `limit` / 0.6745 median absolute deviations of the median; all when that
/// deviation is 0 or fewer than three would remain.
std::vector<bool> near_median(std::span<const double> values, double limit = 3.5);

}  // namespace lockstep::xpcs::cmc
