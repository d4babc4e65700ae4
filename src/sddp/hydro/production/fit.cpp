#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/sddp/production.hpp"

#include "sddp/hydro/production/plane_reduction.hpp"
#include "sddp/hydro/production/planes.hpp"
#include "sddp/hydro/production/upper_hull.hpp"

namespace lockstep::sddp {

namespace {

/// Spillages over which the slope of a plane is taken.
constexpr int spillages = 9;
/// Slopes by spillage above are none.
constexpr double flat_spillage = -1e-10;
/// What roundings may leave of a slope that should not be negative.
constexpr double tolerated_sign = 1e-10;
/// Of a run-of-river plant: the fit needs some width, its planes have no slope along it.
constexpr double synthetic_width_hm3 = 1;
/// As a share of the largest generation, planes this close are equally tight.
constexpr double tie = 1e-9;

bool is_run_of_river(const FitTask& task) {
    return task.min_volume_hm3 == task.max_volume_hm3;
}

/// i-th of n numbers from low to high, both of which are exact.
double spread(double low, double high, int i, int n) {
    return i == n - 1 ? high : low + (high - low) * i / (n - 1);
}

std::vector<FitPoint> grid(const FitTask& task) {
    std::vector<FitPoint> points;
    for (int i = 0; i < task.volumes; ++i) {
        const double volume = spread(task.min_volume_hm3, task.max_volume_hm3, i, task.volumes);
        for (int j = 0; j < task.flows; ++j) {
            FitPoint& point = points.emplace_back();
            point.volume_hm3 = volume;
            point.turbined_m3s = spread(0, task.max_turbined_m3s, j, task.flows);
            point.generation_mw =
                std::min(task.generation(volume, point.turbined_m3s, 0), task.max_generation_mw);
        }
    }
    return points;
}

std::vector<HullPoint> hull_points(const FitTask& task, const std::vector<FitPoint>& points) {
    std::vector<HullPoint> out;
    for (const FitPoint& point : points) {
        out.push_back({point.volume_hm3, point.turbined_m3s, point.generation_mw});
    }
    if (is_run_of_river(task)) {
        for (const FitPoint& point : points) {
            out.push_back(
                {point.volume_hm3 + synthetic_width_hm3, point.turbined_m3s, point.generation_mw});
        }
    }
    return out;
}

std::vector<ProductionPlane> hull_planes(const FitTask& task, const std::vector<FitPoint>& points) {
    std::vector<ProductionPlane> planes;
    for (const HullPlane& plane : upper_hull(hull_points(task, points))) {
        planes.push_back({plane.constant, is_run_of_river(task) ? 0 : plane.x, plane.y, 0});
    }
    std::sort(planes.begin(), planes.end(), [](const auto& a, const auto& b) {
        return std::tuple(-a.turbined, a.volume, a.intercept) <
               std::tuple(-b.turbined, b.volume, b.intercept);
    });
    return planes;
}

/// Factor by which least squares fits what the planes allow to what the plant does.
double best_scale(const std::vector<ProductionPlane>& planes, const std::vector<FitPoint>& points) {
    double product = 0;
    double square = 0;
    for (const FitPoint& point : points) {
        const double allowed = allowed_by(planes, point.volume_hm3, point.turbined_m3s);
        product += allowed * point.generation_mw;
        square += allowed * allowed;
    }
    return square > 0 ? product / square : 1;
}

void multiply(std::vector<ProductionPlane>& planes, double factor) {
    for (ProductionPlane& plane : planes) {
        plane.intercept *= factor;
        plane.volume *= factor;
        plane.turbined *= factor;
    }
}

/// Where a plane is tight, at the largest generation.
const FitPoint& tight_point(const ProductionPlane& plane,
                            const std::vector<ProductionPlane>& planes,
                            const std::vector<FitPoint>& points,
                            double tolerance) {
    const FitPoint* best = nullptr;
    for (const FitPoint& point : points) {
        const double least = allowed_by(planes, point.volume_hm3, point.turbined_m3s);
        const bool is_tight =
            allowed_by(plane, point.volume_hm3, point.turbined_m3s) <= least + tolerance;
        if (is_tight && (best == nullptr || point.generation_mw > best->generation_mw)) {
            best = &point;
        }
    }
    return best != nullptr ? *best : points.back();
}

/// Slope of the line through generations over the spillages, by least squares.
double spillage_slope(const FitTask& task, const FitPoint& point) {
    const double mean = task.max_spilled_m3s / 2;
    double product = 0;
    double square = 0;
    for (int i = 0; i < spillages; ++i) {
        const double spilled = spread(0, task.max_spilled_m3s, i, spillages);
        product +=
            (spilled - mean) * task.generation(point.volume_hm3, point.turbined_m3s, spilled);
        square += (spilled - mean) * (spilled - mean);
    }
    const double slope = product / square;
    return slope > flat_spillage ? 0 : slope;
}

double clean(double slope, std::string_view what) {
    if (slope < -tolerated_sign) {
        throw ModelError(fmt::format("no planes fit: generation falls as {} ({} MW)", what, slope));
    }
    return std::max(slope, 0.0);
}

void check(std::vector<ProductionPlane>& planes) {
    for (ProductionPlane& plane : planes) {
        plane.volume = clean(plane.volume, "the volume grows by 1 hm3");
        plane.turbined = clean(plane.turbined, "the turbined flow grows by 1 m3/s");
    }
    if (std::none_of(planes.begin(), planes.end(), [](const ProductionPlane& plane) {
            return plane.turbined > 0;
        })) {
        throw ModelError("no planes fit: the plant generates nothing at any volume and flow");
    }
}

double deviation(const std::vector<FitPoint>& points) {
    double off = 0;
    double all = 0;
    for (const FitPoint& point : points) {
        off += std::abs(point.fitted_mw - point.generation_mw);
        all += point.generation_mw;
    }
    return all > 0 ? off / all : 0;
}

}  // namespace

ProductionFit fit_production(const FitTask& task) {
    ProductionFit out;
    out.points = grid(task);
    out.planes = hull_planes(task, out.points);
    out.scale = best_scale(out.planes, out.points);
    multiply(out.planes, out.scale);
    const std::vector<ProductionPlane> hull = out.planes;
    for (ProductionPlane& plane : out.planes) {
        const FitPoint& point = tight_point(plane, hull, out.points, tie * task.max_generation_mw);
        plane.spilled = spillage_slope(task, point);
    }
    out.planes = merge_alike(out.planes, task);
    check(out.planes);
    for (FitPoint& point : out.points) {
        point.fitted_mw = allowed_by(out.planes, point.volume_hm3, point.turbined_m3s);
    }
    out.mean_deviation = deviation(out.points);
    return out;
}

}  // namespace lockstep::sddp
