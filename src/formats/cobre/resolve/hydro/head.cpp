#include "formats/cobre/resolve/hydro/head.hpp"

#include <algorithm>

namespace lockstep::formats::cobre {

namespace {

/// Share of the storage band that stands for the usual volume when nothing is declared.
constexpr double default_percentile = 0.65;

double polynomial(const std::vector<double>& coefficients, double x) {
    double value = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) {
        value = value * x + *c;
    }
    return value;
}

double piecewise(const std::vector<raw::TailracePoint>& points, double x) {
    if (points.empty()) {
        return 0;
    }
    const auto above = std::find_if(points.begin(), points.end(), [x](const raw::TailracePoint& p) {
        return p.outflow_m3s > x;
    });
    if (above == points.begin() || above == points.end()) {
        return above == points.end() ? points.back().height_m : points.front().height_m;
    }
    const raw::TailracePoint& left = *(above - 1);
    return left.height_m + (above->height_m - left.height_m) * (x - left.outflow_m3s) /
                               (above->outflow_m3s - left.outflow_m3s);
}

}  // namespace

double reference_volume(const raw::Reservoir& reservoir,
                        const std::optional<raw::ReferenceVolume>& declared) {
    if (declared && declared->volume_hm3) {
        return *declared->volume_hm3;
    }
    const double percentile =
        declared ? declared->percentile.value_or(default_percentile) : default_percentile;
    return reservoir.min_storage_hm3 +
           percentile * (reservoir.max_storage_hm3 - reservoir.min_storage_hm3);
}

double tailrace_level(const std::optional<raw::Tailrace>& tailrace, double outflow_m3s) {
    if (!tailrace) {
        return 0;
    }
    return tailrace->type == raw::TailraceType::polynomial
               ? polynomial(tailrace->coefficients, outflow_m3s)
               : piecewise(tailrace->points, outflow_m3s);
}

double net_head(const raw::Hydro& hydro,
                const ReservoirCurve& curve,
                double volume_hm3,
                double outflow_m3s) {
    double head = curve.height(volume_hm3) - tailrace_level(hydro.tailrace, outflow_m3s);
    if (hydro.hydraulic_losses) {
        head = hydro.hydraulic_losses->type == raw::LossesType::factor
                   ? head * (1 - hydro.hydraulic_losses->value)
                   : head - hydro.hydraulic_losses->value_m;
    }
    return std::max(0.0, head);
}

}  // namespace lockstep::formats::cobre
