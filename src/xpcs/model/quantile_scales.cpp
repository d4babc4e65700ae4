#include <algorithm>
#include <cmath>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"
#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::size_t fewest_points = 100;
constexpr std::size_t fewest_of_a_kind = 10;

/// A value of c2 and how far its frames lie apart.
struct Point {
    double value;
    double lag;  // in seconds, as homodyne has it: rounding decides which of equal lags count
};

/// Of the whole matrix: pairs count twice.
std::vector<Point> points_of(const Measurement& data, int angle) {
    std::vector<Point> points;
    const auto diagonal = neighbour_diagonal(data, angle);
    const auto add = [&](double value, double lag) {
        if (!std::isnan(value)) {
            points.push_back({value, lag});
        }
    };
    for (int i = 0; i < data.frames; ++i) {
        add(diagonal[at(i)], 0);
        for (int j = i + 1; j < data.frames; ++j) {
            const double value = data.c2[data.row(angle, i) + at(j - i - 1)];
            add(value, data.time(j) - data.time(i));
            add(value, data.time(j) - data.time(i));
        }
    }
    return points;
}

double quantile(std::vector<double> values, double probability) {
    std::ranges::sort(values);
    return cmc::quantile_of_sorted(values, probability);
}

template <typename F>
std::vector<double> values_where(const std::vector<Point>& points, F holds) {
    std::vector<double> chosen;
    std::vector<double> all;
    for (const Point& point : points) {
        all.push_back(point.value);
        if (holds(point)) {
            chosen.push_back(point.value);
        }
    }
    return chosen.size() >= fewest_of_a_kind ? chosen : all;
}

Scale scale_of(const std::vector<Point>& points, const ScaleOptions& options) {
    if (points.size() < fewest_points) {
        return {(options.lower.contrast + options.upper.contrast) / 2,
                (options.lower.offset + options.upper.offset) / 2};
    }
    std::vector<double> lags;
    for (const Point& point : points) {
        lags.push_back(point.lag);
    }
    const double far = quantile(lags, 0.8);
    const double near = quantile(std::move(lags), 0.2);
    const double offset = std::clamp(
        quantile(values_where(points, [&](const Point& p) { return p.lag >= far; }), 0.1),
        options.lower.offset,
        options.upper.offset);
    const double ceiling =
        quantile(values_where(points, [&](const Point& p) { return p.lag <= near; }), 0.9);
    return {std::clamp(ceiling - offset, options.lower.contrast, options.upper.contrast), offset};
}

}  // namespace

std::vector<Scale> quantile_scales(const Measurement& measurement, const ScaleOptions& options) {
    std::vector<Scale> scales;
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        scales.push_back(scale_of(points_of(measurement, angle), options));
    }
    return scales;
}

}  // namespace lockstep::xpcs
