#include "xpcs/model/scaling.hpp"

#include <numbers>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "xpcs/model/lanes.hpp"

namespace lockstep::xpcs {
namespace {

int functions_of(const ScaleOptions& options, int angles) {
    switch (options.mode) {
        case ScaleMode::individual:
            return angles;
        case ScaleMode::averaged:
            return 1;
        case ScaleMode::constant:
            return 0;
        case ScaleMode::fourier:
            return 1 + 2 * options.harmonics;
    }
    return 0;
}

void check(const ScaleOptions& options, std::size_t angles, int functions) {
    if (options.mode == ScaleMode::constant && options.given.size() != angles) {
        throw InputError(
            fmt::format("constant scaling needs a contrast and an offset for each of {} angles, "
                        "and {} are given",
                        angles,
                        options.given.size()));
    }
    if (options.mode == ScaleMode::fourier && (options.harmonics < 0 || at(functions) > angles)) {
        throw InputError(
            fmt::format("a Fourier series of {} harmonics needs at least {} angles, and there are "
                        "{}: take fewer harmonics, or individual scaling",
                        options.harmonics,
                        functions,
                        angles));
    }
}

/// 1, cos φ, sin φ, cos 2φ, …
double harmonic(double degrees, int function) {
    const int order = (function + 1) / 2;
    const auto turned = lanes::sine_cosine(lanes::all(order * degrees * (std::numbers::pi / 180)));
    return function % 2 == 1 || function == 0 ? turned.cosine[0] : turned.sine[0];
}

double function_at(ScaleMode mode, int angle, double degrees, int function) {
    switch (mode) {
        case ScaleMode::individual:
            return angle == function ? 1 : 0;
        case ScaleMode::fourier:
            return harmonic(degrees, function);
        default:
            return 1;
    }
}

}  // namespace

Scaling::Scaling(const ScaleOptions& options, std::span<const double> angles)
    : functions_(functions_of(options, static_cast<int>(angles.size()))),
      given_(options.mode == ScaleMode::constant ? options.given : std::vector<Scale>{}) {
    check(options, angles.size(), functions_);
    for (std::size_t angle = 0; angle < angles.size(); ++angle) {
        for (int function = 0; function < functions_; ++function) {
            basis_.push_back(
                function_at(options.mode, static_cast<int>(angle), angles[angle], function));
        }
    }
    const auto bound = [&](double first, double other) {
        return [=, series = options.mode == ScaleMode::fourier](int function) {
            return series && function > 0 ? other : first;
        };
    };
    const auto fill = [&](std::vector<double>& bounds, auto contrast, auto offset) {
        for (int function = 0; function < functions_; ++function) {
            bounds.push_back(contrast(function));
        }
        for (int function = 0; function < functions_; ++function) {
            bounds.push_back(offset(function));
        }
    };
    fill(lower_, bound(options.lower.contrast, -1), bound(options.lower.offset, -0.5));
    fill(upper_, bound(options.upper.contrast, 1), bound(options.upper.offset, 0.5));
}

double Scaling::covariance(int p, int q, int angles) const noexcept {
    double sum_p = 0;
    double sum_q = 0;
    double both = 0;
    for (int angle = 0; angle < angles; ++angle) {
        sum_p += basis(angle, p);
        sum_q += basis(angle, q);
        both += basis(angle, p) * basis(angle, q);
    }
    return (both - sum_p * sum_q / angles) / angles;
}

Scale Scaling::scale_of(int angle, std::span<const double> coefficients) const noexcept {
    if (!given_.empty()) {
        return given_[at(angle)];
    }
    Scale scale;
    for (int function = 0; function < functions_; ++function) {
        scale.contrast += coefficients[at(function)] * basis(angle, function);
        scale.offset += coefficients[at(functions_ + function)] * basis(angle, function);
    }
    return scale;
}

}  // namespace lockstep::xpcs
