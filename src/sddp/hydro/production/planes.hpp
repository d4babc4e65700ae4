#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

/// Without spillage.
inline double allowed_by(const ProductionPlane& plane, double volume, double turbined) {
    return plane.intercept + plane.volume * volume + plane.turbined * turbined;
}

inline double allowed_by(const std::vector<ProductionPlane>& planes,
                         double volume,
                         double turbined) {
    double least = std::numeric_limits<double>::infinity();
    for (const ProductionPlane& plane : planes) {
        least = std::min(least, allowed_by(plane, volume, turbined));
    }
    return least;
}

}  // namespace lockstep::sddp
