#pragma once

#include <array>
#include <optional>
#include <vector>

#include "formats/cobre/read/raw/about.hpp"
#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// system/hydro_production_models.json and the Parquet files about how plants produce.

enum class PlaneSource { precomputed, computed };
constexpr std::array<Choice<PlaneSource>, 2> choices(PlaneSource) {
    return {{{"precomputed", PlaneSource::precomputed}, {"computed", PlaneSource::computed}}};
}

inline constexpr Range grid_points{2, 100};

struct FittingWindow {
    std::optional<double> volume_min_hm3;
    std::optional<double> volume_min_percentile;
    std::optional<double> volume_max_hm3;
    std::optional<double> volume_max_percentile;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("volume_min_hm3",
                   volume_min_hm3,
                   {"Lower end of the volumes that are fitted; or volume_min_percentile", "100"},
                   non_negative);
        f.optional("volume_min_percentile",
                   volume_min_percentile,
                   {"Lower end as a share of the storage range", "0", dimensionless},
                   share);
        f.optional("volume_max_hm3",
                   volume_max_hm3,
                   {"Upper end of the volumes that are fitted; or volume_max_percentile", "2000"},
                   non_negative);
        f.optional("volume_max_percentile",
                   volume_max_percentile,
                   {"Upper end as a share of the storage range", "1", dimensionless},
                   share);
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
        f.required("source",
                   source,
                   {"Where the planes come from. precomputed: system/fpha_hyperplanes.parquet; "
                    "computed: fitted to head and flow of the plant"});
        f.optional("volume_discretization_points",
                   volume_discretization_points,
                   {"Volumes of the grid that planes are fitted to; null: 5", "5"},
                   grid_points);
        f.optional("turbine_discretization_points",
                   turbine_discretization_points,
                   {"Turbined flows of that grid; null: 5", "5"},
                   grid_points);
        f.optional("spillage_discretization_points",
                   spillage_discretization_points,
                   {"Read, without effect: slopes by spillage are taken at nine spillages", "5"},
                   at_least(2));
        f.optional("max_planes_per_hydro",
                   max_planes_per_hydro,
                   {"Most planes of a plant and stage. Read, without effect: fpha_plane_reduction "
                    "merges planes",
                    "10"},
                   at_least(1));
        f.optional("fitting_window",
                   fitting_window,
                   {"Volumes that planes are fitted for; null: those of the geometry"});
    }
};

struct ReferenceVolume {
    std::optional<double> volume_hm3;
    std::optional<double> percentile;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("volume_hm3", volume_hm3, {"Volume itself; or percentile", "1300"}, positive);
        f.optional("percentile",
                   percentile,
                   {"Volume as a share of the storage range; or volume_hm3", "0.65", dimensionless},
                   share);
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
        f.required("model", model, {"Production model, as in system/hydros.json"});
        f.optional("fpha_config", fpha_config, {"Planes of the model fpha, which needs it"});
        f.replaced("productivity_override", R"(it is "productivity_mw_per_m3s")");
        f.optional("productivity_mw_per_m3s",
                   productivity_mw_per_m3s,
                   {"Generation for a turbined flow of 1 m³/s; 0: out of order. A plant and stage "
                    "without planes takes it from here or from "
                    "system/hydro_energy_productivity.parquet, not from both",
                    "0.75"},
                   non_negative);
        f.optional("reference_volume",
                   reference_volume,
                   {"Volume at which the equivalent productivity of a plant with planes is taken; "
                    "null: 65 % of the storage range"});
    }
};

struct StageRange : ModelChoice {
    int start_stage_id = 0;
    std::optional<int> end_stage_id;  ///< inclusive
    template <typename Fields>
    void fields(Fields& f) {
        f.required("start_stage_id", start_stage_id, {"First stage (its id) of the range", "0"});
        f.optional("end_stage_id",
                   end_stage_id,
                   {"Last stage (its id) of the range; null: to the end", "11"});
        choice_fields(f);
    }
};

struct SeasonModel : ModelChoice {
    int season_id = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("season_id",
                   season_id,
                   {"Season: its id in season_definitions of stages.json", "0"},
                   at_least(0));
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
        f.required("hydro_id", hydro_id, about::hydro_id, at_least(0));
        f.required("selection_mode",
                   selection_mode,
                   {"Whether models are given for ranges of stages or for seasons"});
        if (f.when(selection_mode == SelectionMode::stage_ranges, "selection_mode stage_ranges")) {
            f.required("stage_ranges",
                       stage_ranges,
                       {"Models by ranges of stages, the first that holds a stage counts; stages "
                        "in none have the plant's own"});
        }
        if (f.when(selection_mode == SelectionMode::seasonal, "selection_mode seasonal")) {
            f.required(
                "default_model", default_model, {"Model of the seasons that are not listed"});
            f.required("seasons", seasons, {"Models by season"});
        }
    }
};

enum class ReductionMethod { angle, distance };
constexpr std::array<Choice<ReductionMethod>, 2> choices(ReductionMethod) {
    return {{{"angle", ReductionMethod::angle}, {"distance", ReductionMethod::distance}}};
}

struct PlaneReduction {
    ReductionMethod method = ReductionMethod::angle;
    double tolerance_deg = 0;
    double tolerance_pct = 0;
    int n_samples = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"How alike planes are found. angle: by their normals; distance: by the "
                    "generation that a merger moves"});
        if (f.when(method == ReductionMethod::angle, "method angle")) {
            f.required("tolerance_deg",
                       tolerance_deg,
                       {"Angle below which two planes are merged", "1", "°"},
                       within(0, 90));
        }
        if (f.when(method == ReductionMethod::distance, "method distance")) {
            f.required("tolerance_pct",
                       tolerance_pct,
                       {"Mean squared difference, as a share of the largest generation squared, "
                        "below which two planes are merged",
                        "0.1",
                        "%"},
                       non_negative);
            f.required(
                "n_samples", n_samples, {"Points at which it is measured", "100"}, at_least(1));
        }
    }
};

struct ProductionModels {
    std::vector<ProductionModel> production_models;
    std::optional<PlaneReduction> fpha_plane_reduction;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("production_models",
                   production_models,
                   {"Plants whose model differs from system/hydros.json or changes with time; "
                    "where productivities are given"});
        f.optional("fpha_plane_reduction",
                   fpha_plane_reduction,
                   {"Merges fitted planes that are alike; null: all stay"});
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
        c.required("hydro_id", &GeometryPoint::hydro_id, about::hydro_id);
        c.required("volume_hm3",
                   &GeometryPoint::volume_hm3,
                   {"Volume of the reservoir, another one in each row of a plant", "1500"},
                   non_negative);
        c.required(
            "height_m",
            &GeometryPoint::height_m,
            {"Level of the reservoir at this volume; never falls as the volume grows", "380.5"},
            non_negative);
        c.required("area_km2",
                   &GeometryPoint::area_km2,
                   {"Surface at this volume; never falls as the volume grows", "120"},
                   non_negative);
    }
};

/// Row of system/tailrace_curves.parquet.
struct TailraceCurve {
    int hydro_id = 0;
    int family_id = 0;
    int segment_id = 0;
    std::optional<double> downstream_reference_level_m;
    double outflow_min_m3s = 0;
    double outflow_max_m3s = 0;
    double coefficient_0 = 0;
    double coefficient_1 = 0;
    double coefficient_2 = 0;
    double coefficient_3 = 0;
    double coefficient_4 = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        using Row = TailraceCurve;
        c.required("hydro_id", &Row::hydro_id, about::hydro_id);
        c.required("family_id",
                   &Row::family_id,
                   {"Curve of the plant, one for each level of the reservoir downstream", "0"});
        c.required("segment_id",
                   &Row::segment_id,
                   {"Piece of the curve; pieces must join in outflow and level", "0"});
        c.optional("downstream_reference_level_m",
                   &Row::downstream_reference_level_m,
                   {"Level of the reservoir downstream that the curve is for; between two of them "
                    "levels are interpolated. May be null where a plant has one curve",
                    "295"});
        c.required("outflow_min_m3s",
                   &Row::outflow_min_m3s,
                   {"Least outflow of the piece", "0"},
                   non_negative);
        c.required("outflow_max_m3s",
                   &Row::outflow_max_m3s,
                   {"Largest outflow of the piece; beyond the last the level stays", "500"},
                   non_negative);
        c.required(
            "coefficient_0", &Row::coefficient_0, {"Level at outflow 0 by this piece", "290", "m"});
        c.required("coefficient_1",
                   &Row::coefficient_1,
                   {"Coefficient of the outflow", "0.005", "m/(m³/s)"});
        c.required("coefficient_2",
                   &Row::coefficient_2,
                   {"Coefficient of its square", "-1e-6", "m/(m³/s)^2"});
        c.required(
            "coefficient_3", &Row::coefficient_3, {"Coefficient of its cube", "0", "m/(m³/s)^3"});
        c.required("coefficient_4",
                   &Row::coefficient_4,
                   {"Coefficient of its fourth power", "0", "m/(m³/s)^4"});
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
        c.required("hydro_id", &Hyperplane::hydro_id, about::hydro_id);
        c.optional(
            "stage_id",
            &Hyperplane::stage_id,
            {"Stage (its id) that the plane is for; null: every stage without planes of its own",
             "3"});
        c.required("plane_id",
                   &Hyperplane::plane_id,
                   {"Number of the plane, unique in its plant and stage", "0"});
        c.required(
            "gamma_0",
            &Hyperplane::gamma_0,
            {"Generation of the plane at volume, flow and spillage 0, before kappa", "12.5", "MW"});
        c.required("gamma_v",
                   &Hyperplane::gamma_v,
                   {"Generation that a volume of 1 hm³ more allows, in the mean of a stage",
                    "0.02",
                    "MW/hm³"},
                   non_negative);
        c.required("gamma_q",
                   &Hyperplane::gamma_q,
                   {"Generation that a turbined flow of 1 m³/s more allows; above 0 in one plane "
                    "of a plant and stage at least",
                    "0.7",
                    "MW/(m³/s)"},
                   non_negative);
        c.required(
            "gamma_s",
            &Hyperplane::gamma_s,
            {"Generation that a spillage of 1 m³/s more takes away, since the tailrace rises",
             "-0.001",
             "MW/(m³/s)"},
            {-std::numeric_limits<double>::infinity(), 0});
        c.optional(
            "kappa",
            &Hyperplane::kappa,
            {"Factor of gamma_0 that fits the planes to the plant; null: 1", "0.98", dimensionless},
            {0, 1, true});
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
        c.required("hydro_id", &EnergyProductivity::hydro_id, about::hydro_id);
        c.optional(
            "stage_id",
            &EnergyProductivity::stage_id,
            {"Stage (its id) that the row is for; null: every stage without a row of its own",
             "3"});
        c.optional(
            "equivalent_productivity_mw_per_m3s",
            &EnergyProductivity::equivalent,
            {"Generation for a turbined flow of 1 m³/s. Without planes it is the productivity of "
             "the plant; with planes it is used in energies of the results only",
             "0.75"},
            non_negative);
        c.optional("reference_outflow_m3s",
                   &EnergyProductivity::reference_outflow_m3s,
                   {"Outflow at which the tailrace is taken for the equivalent productivity; null: "
                    "max_turbined_m3s",
                    "350"},
                   non_negative);
        c.optional(
            "specific_productivity_mw_per_m3s_per_m",
            &EnergyProductivity::specific,
            {"Generation for 1 m³/s and 1 m of net head; goes before that of system/hydros.json",
             "0.0088",
             "MW/(m³/s)/m"},
            non_negative);
    }
};

}  // namespace lockstep::formats::cobre::raw
