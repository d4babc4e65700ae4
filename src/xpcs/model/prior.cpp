#include "lockstep/xpcs/model/prior.hpp"

#include "lockstep/base/math.hpp"

namespace lockstep::xpcs {

Prior::Density Prior::at(double value) const noexcept {
    if (!(value >= lower) || !(value <= upper)) {
        return {-std::numeric_limits<double>::infinity(), 0};
    }
    const double z = (value - mean) / deviation;
    switch (kind) {
        case Kind::uniform:
            return {0, 0};
        case Kind::normal:
            return {-z * z / 2, -z / deviation};
        case Kind::log_normal: {
            const double log = math::log(value);
            const double y = (log - mean) / deviation;
            return {-log - y * y / 2, -(1 + y / deviation) / value};
        }
        case Kind::half_normal: {
            const double y = value / deviation;
            return {-y * y / 2, -y / deviation};
        }
    }
    return {};
}

}  // namespace lockstep::xpcs
