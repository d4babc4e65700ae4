#include "formats/cobre/resolve/hydro/plant_fits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* models_file = "system/hydro_production_models.json";

constexpr int default_points = 5;
/// Mean deviation, as a share of the generation, from which on a fit is questionable.
constexpr double largest_deviation = 0.05;

/// Spillage has its slope from 0 to this many times the usual flow.
constexpr double usual_flows = 2;

/// Mean of the record of a plant's inflows, nothing without one.
std::optional<double> mean_inflow(const raw::Rows<raw::InflowHistory>& history, int hydro_id) {
    double sum = 0;
    double days = 0;
    for (std::size_t i = 0; history && i < history->size(); ++i) {
        const raw::InflowHistory& row = (*history)[i];
        if (row.hydro_id == hydro_id) {
            const auto length = static_cast<double>((row.end_date - row.start_date).count());
            sum += row.value_m3s * length;
            days += length;
        }
    }
    return days > 0 ? std::optional(sum / days) : std::nullopt;
}

sddp::PlaneReduction reduction_of(const std::optional<raw::PlaneReduction>& raw) {
    if (!raw) {
        return {};
    }
    if (raw->method == raw::ReductionMethod::angle) {
        return {sddp::PlaneReduction::Method::angle, raw->tolerance_deg, 1};
    }
    return {sddp::PlaneReduction::Method::distance, raw->tolerance_pct / 100, raw->n_samples};
}

}  // namespace

PlantFits::PlantFits(const raw::Hydro& hydro,
                     const ReservoirCurve& curve,
                     const raw::Case& raw,
                     const Resolver& resolver)
    : hydro_(hydro),
      curve_(curve),
      resolver_(resolver),
      reduction_(reduction_of(raw.production.fpha_plane_reduction)) {
    const double inflow = mean_inflow(raw.inflow_history, hydro.id).value_or(0);
    max_spilled_m3s_ = usual_flows * (inflow > 0 ? inflow : hydro.generation.max_turbined_m3s);
}

const std::vector<sddp::ProductionPlane>& PlantFits::planes(
    const raw::ModelChoice& choice,
    const Head& head,
    const std::optional<double>& downstream_level,
    int stage_id) {
    const auto [found, is_new] = index_.try_emplace({&choice, downstream_level}, fits_.size());
    if (is_new) {
        FittedPlanes& made = fits_.emplace_back();
        made.hydro_id = hydro_.id;
        made.task = task(choice, head);
        if (check(choice, made.task)) {
            fit(choice, made);
        }
        made.task.generation = {};  // what it reads does not last
    }
    FittedPlanes& out = fits_[found->second];
    out.stage_ids.push_back(stage_id);
    return out.fit.planes;
}

sddp::FitTask PlantFits::task(const raw::ModelChoice& choice, const Head& head) const {
    const raw::FphaConfig& config = *choice.fpha_config;
    sddp::FitTask out;
    out.generation = [head](double volume, double turbined, double spilled) {
        return head.generation(volume, turbined, spilled);
    };
    set_window(choice, out);
    out.volumes = config.volume_discretization_points.value_or(default_points);
    out.flows = config.turbine_discretization_points.value_or(default_points);
    out.max_turbined_m3s = hydro_.generation.max_turbined_m3s;
    out.max_generation_mw = hydro_.generation.max_generation_mw;
    out.max_spilled_m3s = max_spilled_m3s_;
    out.reduction = reduction_;
    return out;
}

double PlantFits::window_end(const std::optional<double>& volume_hm3,
                             const std::optional<double>& percentile,
                             double none) const {
    const raw::Reservoir& reservoir = hydro_.reservoir;
    const double volume =
        volume_hm3   ? *volume_hm3
        : percentile ? reservoir.min_storage_hm3 +
                           *percentile * (reservoir.max_storage_hm3 - reservoir.min_storage_hm3)
                     : none;
    return std::clamp(volume, curve_.volume_hm3.front(), curve_.volume_hm3.back());
}

/// Without a window all of the geometry counts, but where the storage cannot vary.
void PlantFits::set_window(const raw::ModelChoice& choice, sddp::FitTask& task) const {
    const raw::FittingWindow window =
        choice.fpha_config->fitting_window.value_or(raw::FittingWindow());
    const raw::Reservoir& reservoir = hydro_.reservoir;
    const bool is_fixed = reservoir.min_storage_hm3 == reservoir.max_storage_hm3;
    task.min_volume_hm3 =
        window_end(window.volume_min_hm3,
                   window.volume_min_percentile,
                   is_fixed ? reservoir.min_storage_hm3 : curve_.volume_hm3.front());
    task.max_volume_hm3 =
        window_end(window.volume_max_hm3,
                   window.volume_max_percentile,
                   is_fixed ? reservoir.max_storage_hm3 : curve_.volume_hm3.back());
}

bool PlantFits::check(const raw::ModelChoice& choice, const sddp::FitTask& task) const {
    const Origin origin = line_of(models_file, choice.line, "hydro", hydro_.id);
    const auto& window = choice.fpha_config->fitting_window;
    if (window && ((window->volume_min_hm3 && window->volume_min_percentile) ||
                   (window->volume_max_hm3 && window->volume_max_percentile))) {
        resolver_.error(ProblemKind::invalid_value,
                        origin,
                        "an end of fitting_window is either a volume or a percentile");
        return false;
    }
    if (task.min_volume_hm3 > task.max_volume_hm3) {
        resolver_.error(ProblemKind::invalid_value,
                        origin,
                        fmt::format("fitting_window is empty: from {} to {} hm3 of the geometry",
                                    task.min_volume_hm3,
                                    task.max_volume_hm3));
        return false;
    }
    return true;
}

void PlantFits::fit(const raw::ModelChoice& choice, FittedPlanes& out) const {
    const Origin origin = line_of(models_file, choice.line, "hydro", hydro_.id);
    try {
        out.fit = sddp::fit_production(out.task);
    } catch (const ModelError& error) {
        resolver_.error(ProblemKind::business_rule_violation, origin, error.what());
        return;
    }
    if (out.fit.mean_deviation > largest_deviation) {
        resolver_.error(ProblemKind::model_quality,
                        origin,
                        fmt::format("fitted planes are off by {:.1f} % of the generation on the "
                                    "mean: a narrower fitting_window fits better",
                                    100 * out.fit.mean_deviation));
    }
}

}  // namespace lockstep::formats::cobre
