#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "lockstep/base/math.hpp"

namespace lockstep::test {

/// A number and its derivatives by up to 12 parameters, so that a formula that is written once
/// gives its derivatives, exact but for rounding.
struct Dual {
    static constexpr std::size_t most = 12;
    double value = 0;
    std::array<double, most> slopes{};

    Dual() = default;
    Dual(double constant)
        : value(constant) {}  // NOLINT(google-explicit-constructor): formulas mix both
    Dual(double v, std::size_t parameter) : value(v) { slopes[parameter] = 1; }
};

/// f(a) from its value and derivative there.
inline Dual chain(const Dual& a, double value, double slope) {
    Dual result(value);
    for (std::size_t i = 0; i < Dual::most; ++i) {
        result.slopes[i] = slope * a.slopes[i];
    }
    return result;
}

inline Dual combine(const Dual& a, const Dual& b, double value, double by_a, double by_b) {
    Dual result(value);
    for (std::size_t i = 0; i < Dual::most; ++i) {
        result.slopes[i] = by_a * a.slopes[i] + by_b * b.slopes[i];
    }
    return result;
}

inline Dual operator+(const Dual& a, const Dual& b) {
    return combine(a, b, a.value + b.value, 1, 1);
}
inline Dual operator-(const Dual& a, const Dual& b) {
    return combine(a, b, a.value - b.value, 1, -1);
}
inline Dual operator*(const Dual& a, const Dual& b) {
    return combine(a, b, a.value * b.value, b.value, a.value);
}
inline Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return combine(a, b, quotient, 1 / b.value, -quotient / b.value);
}
inline Dual operator-(const Dual& a) {
    return chain(a, -a.value, -1);
}
inline Dual exp(const Dual& a) {
    const double value = math::exp(a.value);
    return chain(a, value, value);
}
inline Dual sin(const Dual& a) {
    return chain(a, std::sin(a.value), std::cos(a.value));
}
inline Dual cos(const Dual& a) {
    return chain(a, std::cos(a.value), -std::sin(a.value));
}
inline Dual atan(const Dual& a) {
    return chain(a, std::atan(a.value), 1 / (1 + a.value * a.value));
}
inline Dual sqrt(const Dual& a) {
    const double value = std::sqrt(a.value);
    return chain(a, value, 0.5 / value);
}
inline Dual abs(const Dual& a) {
    return a.value < 0 ? -a : a;
}
/// For a > 0.
inline Dual pow(const Dual& a, const Dual& b) {
    const double value = math::pow(a.value, b.value);
    return combine(a, b, value, b.value * value / a.value, value * math::log(a.value));
}
inline Dual square(const Dual& a) {
    return a * a;
}

}  // namespace lockstep::test
