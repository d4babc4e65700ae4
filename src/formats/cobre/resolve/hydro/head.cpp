#include "formats/cobre/resolve/hydro/head.hpp"

#include <algorithm>

namespace lockstep::formats::cobre {

namespace {

/// Share of the storage band that stands for the usual volume when nothing is declared.
constexpr double default_percentile = 0.65;

/// Gravity times the density of water.
constexpr double megawatts_per_m3s_m = 9.81 / 1000;

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

double Head::tailrace(double outflow_m3s) const {
    if (!families_.empty()) {
        return tailrace_level(families_, downstream_level_m_, outflow_m3s);
    }
    if (!hydro_.tailrace) {
        return 0;
    }
    return hydro_.tailrace->type == raw::TailraceType::polynomial
               ? polynomial(hydro_.tailrace->coefficients, outflow_m3s)
               : piecewise(hydro_.tailrace->points, outflow_m3s);
}

double Head::net(double level_m, double outflow_m3s) const {
    double head = level_m - tailrace(outflow_m3s);
    if (hydro_.hydraulic_losses) {
        head = hydro_.hydraulic_losses->type == raw::LossesType::factor
                   ? head * (1 - hydro_.hydraulic_losses->value)
                   : head - hydro_.hydraulic_losses->value_m;
    }
    return std::max(0.0, head);
}

double Head::generation(double volume_hm3, double turbined_m3s, double spilled_m3s) const {
    const double efficiency = hydro_.efficiency ? hydro_.efficiency->value : 1;
    return megawatts_per_m3s_m * efficiency * turbined_m3s *
           net(curve_.height(volume_hm3), turbined_m3s + spilled_m3s);
}

}  // namespace lockstep::formats::cobre
