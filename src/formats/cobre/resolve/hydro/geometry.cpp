#include "formats/cobre/resolve/hydro/geometry.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "system/hydro_geometry.parquet";

/// Index of the interval [i, i + 1] that holds `volume`. @pre two points or more
std::size_t interval(const std::vector<double>& volumes, double volume) {
    const auto above = std::upper_bound(volumes.begin(), volumes.end(), volume);
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(volumes.size()) - 2;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(above - volumes.begin() - 1, 0, last));
}

double slope(const std::vector<double>& x, const std::vector<double>& y, std::size_t i) {
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at) {
    if (at <= x.front() || x.size() == 1) {
        return y.front();
    }
    if (at >= x.back()) {
        return y.back();
    }
    const std::size_t i = interval(x, at);
    return y[i] + slope(x, y, i) * (at - x[i]);
}

/// Row numbers with a known hydro, by (hydro, volume, row).
std::vector<std::size_t> sorted_rows(const std::vector<raw::GeometryPoint>& points,
                                     const Resolver& resolver) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (resolver.find(resolver.hydros, points[i].hydro_id, row_of(file, i)) >= 0) {
            rows.push_back(i);
        }
    }
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(points[a].hydro_id, points[a].volume_hm3, a) <
               std::tuple(points[b].hydro_id, points[b].volume_hm3, b);
    });
    return rows;
}

void append(ReservoirCurve& curve,
            const raw::GeometryPoint& point,
            std::size_t row,
            const Resolver& resolver) {
    if (!curve.is_empty()) {
        const auto complain = [&](std::string message) {
            resolver.error(ProblemKind::invalid_value,
                           row_of(file, row),
                           fmt::format("hydro {}: {}", point.hydro_id, message));
        };
        if (point.volume_hm3 == curve.volume_hm3.back()) {
            complain(fmt::format("volume {} has two rows", point.volume_hm3));
            return;
        }
        if (point.height_m < curve.height_m.back() || point.area_km2 < curve.area_km2.back()) {
            complain(
                fmt::format("height or area falls as the volume grows to {}", point.volume_hm3));
        }
    }
    curve.volume_hm3.push_back(point.volume_hm3);
    curve.height_m.push_back(point.height_m);
    curve.area_km2.push_back(point.area_km2);
}

}  // namespace

double ReservoirCurve::height(double volume) const {
    return interpolate(volume_hm3, height_m, volume);
}

double ReservoirCurve::mean_height(double low, double high) const {
    if (!(low < high)) {
        return height(low);
    }
    std::vector<double> ends{low};
    std::copy_if(
        volume_hm3.begin(), volume_hm3.end(), std::back_inserter(ends), [&](double volume) {
            return low < volume && volume < high;
        });
    ends.push_back(high);
    double area = 0;
    for (std::size_t i = 1; i < ends.size(); ++i) {
        area += (ends[i] - ends[i - 1]) * (height(ends[i - 1]) + height(ends[i])) / 2;
    }
    return area / (high - low);
}

double ReservoirCurve::area(double volume) const {
    return interpolate(volume_hm3, area_km2, volume);
}

double ReservoirCurve::area_slope(double volume) const {
    return volume_hm3.size() < 2 ? 0 : slope(volume_hm3, area_km2, interval(volume_hm3, volume));
}

std::vector<ReservoirCurve> resolve_geometry(
    const std::optional<std::vector<raw::GeometryPoint>>& points, const Resolver& resolver) {
    std::vector<ReservoirCurve> curves(static_cast<std::size_t>(resolver.hydros.size()));
    if (points) {
        for (const std::size_t row : sorted_rows(*points, resolver)) {
            const raw::GeometryPoint& point = (*points)[row];
            append(curves[at(resolver.hydros.find(point.hydro_id))], point, row, resolver);
        }
    }
    return curves;
}

}  // namespace lockstep::formats::cobre
