#pragma once

#include <array>
#include <optional>
#include <vector>

#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// system/hydro_production_models.json and the Parquet files about how plants produce.

enum class PlaneSource { precomputed, computed };
constexpr std::array<Choice<PlaneSource>, 2> choices(PlaneSource) {
    return {{{"precomputed", PlaneSource::precomputed}, {"computed", PlaneSource::computed}}};
}

struct FittingWindow {
    std::optional<double> volume_min_hm3;
    std::optional<double> volume_min_percentile;
    std::optional<double> volume_max_hm3;
    std::optional<double> volume_max_percentile;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("volume_min_hm3", volume_min_hm3, non_negative);
        f.optional("volume_min_percentile", volume_min_percentile, share);
        f.optional("volume_max_hm3", volume_max_hm3, non_negative);
        f.optional("volume_max_percentile", volume_max_percentile, share);
    }
};

struct FphaConfig {
    PlaneSource source = PlaneSource::precomputed;
    std::optional<int> volume_discretization_points;
    std::optional<int> turbine_discretization_points;
    std::optional<int> spillage_discretization_points;
    std::optional<int> max_planes_per_hydro;
    std::optional<FittingWindow> fitting_window;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("source", source);
        f.optional("volume_discretization_points", volume_discretization_points, at_least(2));
        f.optional("turbine_discretization_points", turbine_discretization_points, at_least(2));
        f.optional("spillage_discretization_points", spillage_discretization_points, at_least(2));
        f.optional("max_planes_per_hydro", max_planes_per_hydro, at_least(1));
        f.optional("fitting_window", fitting_window);
    }
};

struct ReferenceVolume {
    std::optional<double> volume_hm3;
    std::optional<double> percentile;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("volume_hm3", volume_hm3, positive);
        f.optional("percentile", percentile, share);
    }
};

/// Model in force over some stages of a plant.
struct ModelChoice {
    int line = 0;
    Model model = Model::constant_productivity;
    std::optional<FphaConfig> fpha_config;
    std::optional<double> productivity_mw_per_m3s;
    std::optional<ReferenceVolume> reference_volume;
    template <typename Fields>
    void choice_fields(Fields& f) {
        f.line(line);
        f.required("model", model);
        f.optional("fpha_config", fpha_config);
        f.replaced("productivity_override", R"(it is "productivity_mw_per_m3s")");
        f.optional("productivity_mw_per_m3s", productivity_mw_per_m3s, non_negative);
        f.optional("reference_volume", reference_volume);
    }
};

struct StageRange : ModelChoice {
    int start_stage_id = 0;
    std::optional<int> end_stage_id;  ///< inclusive
    template <typename Fields>
    void fields(Fields& f) {
        f.required("start_stage_id", start_stage_id);
        f.optional("end_stage_id", end_stage_id);
        choice_fields(f);
    }
};

struct SeasonModel : ModelChoice {
    int season_id = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("season_id", season_id, at_least(0));
        choice_fields(f);
    }
};

enum class SelectionMode { stage_ranges, seasonal };
constexpr std::array<Choice<SelectionMode>, 2> choices(SelectionMode) {
    return {{{"stage_ranges", SelectionMode::stage_ranges}, {"seasonal", SelectionMode::seasonal}}};
}

struct ProductionModel {
    int line = 0;
    int hydro_id = 0;
    SelectionMode selection_mode = SelectionMode::stage_ranges;
    std::vector<StageRange> stage_ranges;
    Model default_model = Model::constant_productivity;
    std::vector<SeasonModel> seasons;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("hydro_id", hydro_id, at_least(0));
        f.required("selection_mode", selection_mode);
        if (f.when(selection_mode == SelectionMode::stage_ranges)) {
            f.required("stage_ranges", stage_ranges);
        }
        if (f.when(selection_mode == SelectionMode::seasonal)) {
            f.required("default_model", default_model);
            f.required("seasons", seasons);
        }
    }
};

enum class ReductionMethod { angle, distance };
constexpr std::array<Choice<ReductionMethod>, 2> choices(ReductionMethod) {
    return {{{"angle", ReductionMethod::angle}, {"distance", ReductionMethod::distance}}};
}

/// Only fitted planes are reduced, and those are refused.
struct PlaneReduction {
    ReductionMethod method = ReductionMethod::angle;
    double tolerance_deg = 0;
    double tolerance_pct = 0;
    int n_samples = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method", method);
        if (f.when(method == ReductionMethod::angle)) {
            f.required("tolerance_deg", tolerance_deg, within(0, 90));
        }
        if (f.when(method == ReductionMethod::distance)) {
            f.required("tolerance_pct", tolerance_pct, non_negative);
            f.required("n_samples", n_samples, at_least(1));
        }
    }
};

struct ProductionModels {
    std::vector<ProductionModel> production_models;
    std::optional<PlaneReduction> fpha_plane_reduction;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("production_models", production_models);
        f.optional("fpha_plane_reduction", fpha_plane_reduction);
    }
};

/// Row of system/hydro_geometry.parquet.
struct GeometryPoint {
    int hydro_id = 0;
    double volume_hm3 = 0;
    double height_m = 0;
    double area_km2 = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &GeometryPoint::hydro_id);
        c.required("volume_hm3", &GeometryPoint::volume_hm3, non_negative);
        c.required("height_m", &GeometryPoint::height_m, non_negative);
        c.required("area_km2", &GeometryPoint::area_km2, non_negative);
    }
};

/// Row of system/fpha_hyperplanes.parquet; no stage: every stage without rows of its own.
struct Hyperplane {
    int hydro_id = 0;
    std::optional<int> stage_id;
    int plane_id = 0;
    double gamma_0 = 0;
    double gamma_v = 0;
    double gamma_q = 0;
    double gamma_s = 0;
    std::optional<double> kappa;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &Hyperplane::hydro_id);
        c.optional("stage_id", &Hyperplane::stage_id);
        c.required("plane_id", &Hyperplane::plane_id);
        c.required("gamma_0", &Hyperplane::gamma_0);
        c.required("gamma_v", &Hyperplane::gamma_v, non_negative);
        c.required("gamma_q", &Hyperplane::gamma_q, non_negative);
        c.required("gamma_s", &Hyperplane::gamma_s, {-std::numeric_limits<double>::infinity(), 0});
        c.optional("kappa", &Hyperplane::kappa, {0, 1, true});
    }
};

/// Row of system/hydro_energy_productivity.parquet.
struct EnergyProductivity {
    int hydro_id = 0;
    std::optional<int> stage_id;
    std::optional<double> equivalent;
    std::optional<double> reference_outflow_m3s;
    std::optional<double> specific;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &EnergyProductivity::hydro_id);
        c.optional("stage_id", &EnergyProductivity::stage_id);
        c.optional(
            "equivalent_productivity_mw_per_m3s", &EnergyProductivity::equivalent, non_negative);
        c.optional(
            "reference_outflow_m3s", &EnergyProductivity::reference_outflow_m3s, non_negative);
        c.optional(
            "specific_productivity_mw_per_m3s_per_m", &EnergyProductivity::specific, non_negative);
    }
};

}  // namespace lockstep::formats::cobre::raw
