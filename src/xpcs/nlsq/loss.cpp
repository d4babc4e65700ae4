#include "lockstep/xpcs/nlsq/loss.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

// Of an outlier, as a part of what it is without the bend of the loss.
constexpr double least_curvature = 0.1;

// The arctangent of [0, 1/5]; the last term is below the first one's rounding.
double small_atan(double z) noexcept {
    const double square = z * z;
    double sum = 0;
    for (int k = 27; k >= 1; k -= 2) {
        sum = 1.0 / k - square * sum;
    }
    return z * sum;
}

double half_angle(double tangent) noexcept {
    return tangent / (1 + std::sqrt(1 + tangent * tangent));
}

// For z >= 0, within a few units in the last place.
double atan(double z) noexcept {
    if (z > 1) {
        return std::numbers::pi / 2 - atan(1 / z);
    }
    return 4 * small_atan(half_angle(half_angle(z)));
}

LossValue soft_l1(double z) noexcept {
    const double root = std::sqrt(1 + z);
    return {2 * z / (root + 1), 1 / root, -0.5 / (root * (1 + z))};
}

LossValue huber(double z) noexcept {
    if (z <= 1) {
        return {z, 1, 0};
    }
    const double root = std::sqrt(z);
    return {2 * root - 1, 1 / root, -0.5 / (root * z)};
}

LossValue cauchy(double z) noexcept {
    const double inverse = 1 / (1 + z);
    // ln(1 + z) without the rounding of 1 + z.
    const double sum = 1 + z;
    const double rest = z - (sum - 1);
    return {math::log(sum) + rest * inverse, inverse, -inverse * inverse};
}

LossValue arctan(double z) noexcept {
    const double inverse = 1 / (1 + z * z);
    return {atan(z), inverse, -2 * z * inverse * inverse};
}

}  // namespace

LossValue loss_value(Loss::Kind kind, double z) noexcept {
    switch (kind) {
        case Loss::Kind::soft_l1:
            return soft_l1(z);
        case Loss::Kind::huber:
            return huber(z);
        case Loss::Kind::cauchy:
            return cauchy(z);
        case Loss::Kind::arctan:
            return arctan(z);
        case Loss::Kind::linear:
            break;
    }
    return {z, 1, 0};
}

double curvature_weight(const LossValue& rho, double z) noexcept {
    return std::sqrt(std::max(rho.first + 2 * rho.second * z, least_curvature * rho.first));
}

}  // namespace lockstep::xpcs::nlsq
