#pragma once

#include <cmath>
#include <limits>

#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::cmc {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// log(e^a + e^b) without overflow; -infinity is the logarithm of nothing.
inline double log_sum(double a, double b) {
    const double high = a > b ? a : b;
    const double low = a > b ? b : a;
    return high == minus_infinity ? high : high + math::log(1 + math::exp(low - high));
}

}  // namespace lockstep::xpcs::cmc
