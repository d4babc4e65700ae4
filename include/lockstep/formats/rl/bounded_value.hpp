#pragma once

namespace lockstep::formats::rl {

/// A value and what is proven of it.
struct BoundedValue {
    double value = 0;
    double lower = 0;
    double upper = 0;
};

/// What a value is short of the optimum; 0 where the bounds do not tell them apart.
inline double gap_to(const BoundedValue& optimum, const BoundedValue& value) noexcept {
    return optimum.lower > value.upper ? optimum.value - value.value : 0;
}

}  // namespace lockstep::formats::rl
