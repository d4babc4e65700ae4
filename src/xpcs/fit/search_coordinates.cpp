#include "xpcs/fit/search_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double linear = std::numeric_limits<double>::infinity();
constexpr double logarithmic = 0;
constexpr double decades = 100;       // of bounds, from which on a coordinate is not linear
constexpr double usual_scale = 1e-4;  // of a rate that may be negative, as a part of its bounds

bool is_rate(std::string_view name) {
    return name == "D0" || name == "D_offset" || name == "gamma_dot_t0" ||
           name == "gamma_dot_t_offset";
}

double scale_of(std::string_view name, double lower, double upper) {
    if (!is_rate(name) || !std::isfinite(upper - lower)) {
        return linear;
    }
    if (lower > 0) {
        return upper > decades * lower ? logarithmic : linear;
    }
    return usual_scale * std::max(-lower, upper);
}

double area_sine(double z) {
    const double magnitude = std::abs(z);
    return std::copysign(math::log(magnitude + std::sqrt(magnitude * magnitude + 1)), z);
}

double coordinate(double x, double scale) {
    return scale == linear ? x : scale == logarithmic ? math::log(x) : area_sine(x / scale);
}

double parameter(double u, double scale) {
    return scale == linear        ? u
           : scale == logarithmic ? math::exp(u)
                                  : scale * (math::exp(u) - math::exp(-u)) / 2;
}

}  // namespace

SearchCoordinates::SearchCoordinates(const nlsq::Box& box) : of_parameters_(box), box_(box) {
    for (std::size_t p = 0; p < box.lower.size(); ++p) {
        scales_.push_back(scale_of(box.names[p], box.lower[p], box.upper[p]));
        box_.lower[p] = coordinate(box.lower[p], scales_[p]);
        box_.upper[p] = coordinate(box.upper[p], scales_[p]);
    }
}

std::vector<double> SearchCoordinates::of(std::span<const double> x) const {
    std::vector<double> point;
    for (std::size_t p = 0; p < x.size(); ++p) {
        point.push_back(std::clamp(coordinate(x[p], scales_[p]), box_.lower[p], box_.upper[p]));
    }
    return point;
}

std::vector<double> SearchCoordinates::parameters(std::span<const double> points) const {
    std::vector<double> x(points.begin(), points.end());
    for (std::size_t k = 0; k < x.size(); ++k) {
        const std::size_t p = k % scales_.size();
        x[k] = std::clamp(
            parameter(x[k], scales_[p]), of_parameters_.lower[p], of_parameters_.upper[p]);
    }
    return x;
}

}  // namespace lockstep::xpcs
