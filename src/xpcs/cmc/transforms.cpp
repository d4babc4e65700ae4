#include "lockstep/xpcs/cmc/transforms.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::cmc {
namespace {

// p = 1 / (1 + e^-|u|) is the larger share, so that neither share is a difference of near numbers.
Transformed logistic(double u, double low, double high) {
    const double width = high - low;
    const double small = math::exp(-std::abs(u));
    const double larger = 1 / (1 + small);
    const double smaller = small * larger;
    const bool upper = u >= 0;
    return {upper ? high - width * smaller : low + width * smaller,
            width * smaller * larger,
            math::log(width) - std::abs(u) - 2 * math::log(1 + small),
            (upper ? smaller - larger : larger - smaller)};
}

}  // namespace

Transform Transform::interval(double low, double high) {
    if (!(low < high) || std::isinf(low) || std::isinf(high)) {
        throw InputError(
            fmt::format("the interval from {} to {} must have a finite length above 0", low, high));
    }
    return {Kind::interval, low, high};
}

Transform Transform::above(double low) {
    return {Kind::above, low, 0};
}

Transform Transform::below(double high) {
    return {Kind::below, 0, high};
}

Transformed Transform::at(double u) const {
    switch (kind_) {
        case Kind::interval:
            return logistic(u, low_, high_);
        case Kind::above: {
            const double size = math::exp(u);
            return {low_ + size, size, u, 1};
        }
        case Kind::below: {
            const double size = math::exp(u);
            return {high_ - size, -size, u, 1};
        }
        case Kind::real:
            break;
    }
    return {u, 1, 0, 0};
}

double Transform::inverse(double value) const {
    double u = value;
    switch (kind_) {
        case Kind::interval:
            u = math::log((value - low_) / (high_ - value));
            break;
        case Kind::above:
            u = math::log(value - low_);
            break;
        case Kind::below:
            u = math::log(high_ - value);
            break;
        case Kind::real:
            break;
    }
    if (!std::isfinite(u)) {
        throw InputError(fmt::format("the value {} is not strictly inside its bounds", value));
    }
    return u;
}

LogPrior normal_log_density(double x, double mean, double sd) {
    const double z = (x - mean) / sd;
    return {-0.5 * z * z, -z / sd};
}

LogPrior half_normal_log_density(double x, double scale) {
    return normal_log_density(x, 0, scale);
}

}  // namespace lockstep::xpcs::cmc
