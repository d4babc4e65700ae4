#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/read/raw/penalties.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// system/hydros.json, as written.

struct Reservoir {
    double min_storage_hm3 = 0;
    double max_storage_hm3 = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("min_storage_hm3", min_storage_hm3, non_negative);
        f.required("max_storage_hm3", max_storage_hm3, non_negative);
    }
};

struct Outflow {
    double min_outflow_m3s = 0;
    std::optional<double> max_outflow_m3s;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("min_outflow_m3s", min_outflow_m3s, non_negative);
        f.optional("max_outflow_m3s", max_outflow_m3s, non_negative);
    }
};

enum class Model { constant_productivity, linearized_head, fpha };
constexpr std::array<Choice<Model>, 3> choices(Model) {
    return {{{"constant_productivity", Model::constant_productivity},
             {"linearized_head", Model::linearized_head},
             {"fpha", Model::fpha}}};
}

/// Limits that a plant and each of its unit groups have.
struct TurbineLimits {
    double min_turbined_m3s = 0;
    double max_turbined_m3s = 0;
    double min_generation_mw = 0;
    double max_generation_mw = 0;
    template <typename Fields>
    void limit_fields(Fields& f) {
        f.required("min_turbined_m3s", min_turbined_m3s, non_negative);
        f.required("max_turbined_m3s", max_turbined_m3s, non_negative);
        f.required("min_generation_mw", min_generation_mw, non_negative);
        f.required("max_generation_mw", max_generation_mw, non_negative);
    }
};

struct Generation : TurbineLimits {
    Model model = Model::constant_productivity;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("model", model);
        f.replaced("productivity_mw_per_m3s",
                   "give it in system/hydro_production_models.json or "
                   "system/hydro_energy_productivity.parquet");
        limit_fields(f);
    }
};

struct UnitGroup : TurbineLimits {
    int line = 0;
    int id = 0;
    std::string name;
    int bus_id = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("id", id, at_least(0));
        f.required("name", name);
        f.required("bus_id", bus_id, at_least(0));
        limit_fields(f);
    }
};

enum class TailraceType { polynomial, piecewise };
constexpr std::array<Choice<TailraceType>, 2> choices(TailraceType) {
    return {{{"polynomial", TailraceType::polynomial}, {"piecewise", TailraceType::piecewise}}};
}

struct TailracePoint {
    double outflow_m3s = 0;
    double height_m = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("outflow_m3s", outflow_m3s, non_negative);
        f.required("height_m", height_m);
    }
};

struct Tailrace {
    TailraceType type = TailraceType::polynomial;
    std::vector<double> coefficients;
    std::vector<TailracePoint> points;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("type", type);
        if (f.when(type == TailraceType::polynomial)) {
            f.required("coefficients", coefficients);
        }
        if (f.when(type == TailraceType::piecewise)) {
            f.required("points", points);
        }
    }
};

enum class LossesType { factor, constant };
constexpr std::array<Choice<LossesType>, 2> choices(LossesType) {
    return {{{"factor", LossesType::factor}, {"constant", LossesType::constant}}};
}

struct Losses {
    LossesType type = LossesType::factor;
    double value = 0;
    double value_m = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("type", type);
        if (f.when(type == LossesType::factor)) {
            f.required("value", value, share);
        }
        if (f.when(type == LossesType::constant)) {
            f.required("value_m", value_m, non_negative);
        }
    }
};

enum class EfficiencyType { constant };
constexpr std::array<Choice<EfficiencyType>, 1> choices(EfficiencyType) {
    return {{{"constant", EfficiencyType::constant}}};
}

struct Efficiency {
    EfficiencyType type = EfficiencyType::constant;
    double value = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("type", type);
        f.required("value", value, {0, 1, true});
    }
};

struct Evaporation {
    std::array<double, 12> coefficients_mm{};
    std::optional<std::array<double, 12>> reference_volumes_hm3;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("coefficients_mm", coefficients_mm);
        f.optional("reference_volumes_hm3", reference_volumes_hm3);
    }
};

struct Diversion {
    int downstream_id = 0;
    double max_flow_m3s = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("downstream_id", downstream_id, at_least(0));
        f.required("max_flow_m3s", max_flow_m3s, non_negative);
    }
};

struct Filling {
    int start_stage_id = 0;
    double filling_min_rate_m3s = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("start_stage_id", start_stage_id);
        f.replaced("filling_inflow_m3s", R"(it is "filling_min_rate_m3s")");
        f.optional("filling_min_rate_m3s", filling_min_rate_m3s, non_negative);
    }
};

struct Hydro : Entity, Lifecycle {
    std::optional<int> downstream_id;
    std::optional<double> travel_time_hours;
    Reservoir reservoir;
    Outflow outflow;
    Generation generation;
    std::vector<UnitGroup> unit_groups;
    std::optional<double> specific_productivity_mw_per_m3s_per_m;
    std::optional<Tailrace> tailrace;
    std::optional<Losses> hydraulic_losses;
    std::optional<Efficiency> efficiency;
    std::optional<Evaporation> evaporation;
    std::optional<Diversion> diversion;
    std::optional<Filling> filling;
    std::optional<EntityHydroCosts> penalties;
    template <typename Fields>
    void fields(Fields& f) {
        entity_fields(f);
        f.replaced("bus_id", R"(give it in an entry of "unit_groups")");
        f.optional("downstream_id", downstream_id, at_least(0));
        f.optional("travel_time_hours", travel_time_hours, non_negative);
        f.required("reservoir", reservoir);
        f.required("outflow", outflow);
        f.required("generation", generation);
        f.required("unit_groups", unit_groups);
        f.optional("specific_productivity_mw_per_m3s_per_m",
                   specific_productivity_mw_per_m3s_per_m,
                   non_negative);
        f.optional("tailrace", tailrace);
        f.optional("hydraulic_losses", hydraulic_losses);
        f.optional("efficiency", efficiency);
        f.optional("evaporation", evaporation);
        f.optional("diversion", diversion);
        f.optional("filling", filling);
        f.optional("penalties", penalties);
        lifecycle_fields(f);
    }
};

struct Hydros {
    std::vector<Hydro> hydros;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("hydros", hydros);
    }
};

}  // namespace lockstep::formats::cobre::raw
