#pragma once

namespace lockstep::formats::rl {

/// A value and what is proven of it.
struct BoundedValue {
    double value = 0;
    double lower = 0;
    double upper = 0;
};

}  // namespace lockstep::formats::rl
