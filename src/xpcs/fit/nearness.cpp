#include <cmath>

#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double error_share = 0.01;
constexpr double width_share = 1e-3;  // errors may be longer than the bounds are wide

bool is_there(double distance, double width, double error, double tolerance) {
    if (!std::isfinite(width)) {
        return false;
    }
    const bool is_near = distance <= tolerance * width;
    const bool is_lost = distance <= error_share * error && distance <= width_share * width;
    return error > 0 ? is_lost || (is_near && distance <= error) : is_near;
}

}  // namespace

std::vector<Nearness> nearness_to_bounds(const FitResult& result,
                                         std::span<const double> errors,
                                         double tolerance) {
    using nlsq::AtBound;
    std::vector<Nearness> all;
    for (std::size_t k = 0; k < result.values.size(); ++k) {
        const double width = result.upper[k] - result.lower[k];
        const double above = result.values[k] - result.lower[k];
        const double below = result.upper[k] - result.values[k];
        Nearness& of = all.emplace_back();
        of.at = result.bounds[k];
        if (of.at == AtBound::no && is_there(above, width, errors[k], tolerance)) {
            of.at = AtBound::lower;
        } else if (of.at == AtBound::no && is_there(below, width, errors[k], tolerance)) {
            of.at = AtBound::upper;
        }
        of.reaches_lower = of.at == AtBound::no && above < errors[k];
        of.reaches_upper = of.at == AtBound::no && below < errors[k];
    }
    return all;
}

}  // namespace lockstep::xpcs
