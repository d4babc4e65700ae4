#pragma once

#include <limits>

namespace lockstep::xpcs {

/// What is known of one parameter beforehand, within its bounds; densities up to a constant.
struct Prior {
    enum class Kind {
        uniform,
        normal,       ///< truncated at the bounds
        log_normal,   ///< of a positive parameter: mean and deviation of its logarithm
        half_normal,  ///< of a positive parameter: `deviation` about 0
    };
    Kind kind = Kind::uniform;
    double mean = 0;
    double deviation = 1;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();

    /// The logarithm and its derivative; -infinity outside the bounds.
    struct Density {
        double log = 0;
        double slope = 0;
    };
    [[nodiscard]] Density at(double value) const noexcept;
};

}  // namespace lockstep::xpcs
