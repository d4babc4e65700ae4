#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/about.hpp"
#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/read/raw/penalties.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// system/hydros.json, as written.

struct Reservoir {
    double min_storage_hm3 = 0;
    double max_storage_hm3 = 0;
    bool min_storage_is_soft = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("min_storage_hm3",
                   min_storage_hm3,
                   {"Storage that the plant is never below", "100"},
                   non_negative);
        f.required("max_storage_hm3",
                   max_storage_hm3,
                   {"Storage that the plant is never above", "2000"},
                   non_negative);
        f.optional("min_storage_is_soft",
                   min_storage_is_soft,
                   {"true: the storage may lack to its minimum at storage_violation_below_cost. A "
                    "key that Cobre does not have"});
    }
};

struct Outflow {
    double min_outflow_m3s = 0;
    std::optional<double> max_outflow_m3s;
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "min_outflow_m3s",
            min_outflow_m3s,
            {"Least outflow, turbined and spilled; missing it costs outflow_violation_below_cost",
             "50"},
            non_negative);
        f.optional("max_outflow_m3s",
                   max_outflow_m3s,
                   {"Largest outflow, turbined and spilled; exceeding it costs "
                    "outflow_violation_above_cost; null: no limit",
                    "5000"},
                   non_negative);
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
        f.required("min_turbined_m3s",
                   min_turbined_m3s,
                   {"Least turbined flow. Only the minima of unit groups have an effect; missing "
                    "their sum costs turbined_violation_below_cost",
                    "0"},
                   non_negative);
        f.required(
            "max_turbined_m3s",
            max_turbined_m3s,
            {"Largest turbined flow; that of a plant is not below the sum over its unit groups",
             "400"},
            non_negative);
        f.required("min_generation_mw",
                   min_generation_mw,
                   {"Least generation. Only the minima of unit groups have an effect; missing "
                    "their sum costs generation_violation_below_cost",
                    "0"},
                   non_negative);
        f.required("max_generation_mw",
                   max_generation_mw,
                   {"Largest generation; that of a plant is not below the sum over its unit groups",
                    "300"},
                   non_negative);
    }
};

struct Generation : TurbineLimits {
    Model model = Model::constant_productivity;
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "model",
            model,
            {"How generation follows from water, where system/hydro_production_models.json "
             "says nothing else. constant_productivity: proportional to the turbined flow; "
             "linearized_head: alike, unless modeling.linearized_head of config.json is true: "
             "then to flow and head; fpha: below planes in storage, turbined flow "
             "and spillage"});
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
        f.required("id", id, {"Number of the group, unique in the plant", "0"}, at_least(0));
        f.required("name", name, {"Name for people", "Units 1-4"});
        f.required("bus_id", bus_id, about::feeds_bus, at_least(0));
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
        f.required(
            "outflow_m3s", outflow_m3s, {"Outflow, turbined and spilled", "500"}, non_negative);
        f.required("height_m",
                   height_m,
                   {"Level of the tailrace at this outflow, above the same zero as the heights of "
                    "the reservoir",
                    "312.5"});
    }
};

struct Tailrace {
    TailraceType type = TailraceType::polynomial;
    std::vector<double> coefficients;
    std::vector<TailracePoint> points;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("type",
                   type,
                   {"How the level below the dam follows from the outflow. polynomial: by "
                    "coefficients; piecewise: between points"});
        if (f.when(type == TailraceType::polynomial, "type polynomial")) {
            f.required("coefficients",
                       coefficients,
                       {"Coefficients of the level [m] in ascending powers of the outflow [m³/s]",
                        "[310.0, 0.004]",
                        "m/(m³/s)^k"});
        }
        if (f.when(type == TailraceType::piecewise, "type piecewise")) {
            f.required("points",
                       points,
                       {"Points of the curve in ascending order of outflow; constant beyond the "
                        "first and the last"});
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
        f.required("type",
                   type,
                   {"How head is lost in the conduits. factor: a share of it; constant: metres"});
        if (f.when(type == LossesType::factor, "type factor")) {
            f.required(
                "value", value, {"Share of the head that is lost", "0.02", dimensionless}, share);
        }
        if (f.when(type == LossesType::constant, "type constant")) {
            f.required("value_m", value_m, {"Head that is lost", "1.5"}, non_negative);
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
        f.required("type", type, {"How the efficiency of the machines is given: one number"});
        f.required("value",
                   value,
                   {"Efficiency of turbines and generators. Read, without effect: a specific "
                    "productivity holds it",
                    "0.92",
                    dimensionless},
                   {0, 1, true});
    }
};

struct Evaporation {
    std::array<double, 12> coefficients_mm{};
    std::optional<std::array<double, 12>> reference_volumes_hm3;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("coefficients_mm",
                   coefficients_mm,
                   {"Net evaporation of each calendar month, January first; negative where rain "
                    "exceeds it",
                    "[60, 55, 50, 30, 10, 0, -5, 5, 20, 40, 50, 60]"});
        f.optional("reference_volumes_hm3",
                   reference_volumes_hm3,
                   {"Volume of each calendar month at which evaporation is linearised; null: the "
                    "middle of the storage range",
                    "[900, 950, 1000, 1000, 950, 900, 850, 800, 750, 750, 800, 850]"});
    }
};

struct Diversion {
    int downstream_id = 0;
    double max_flow_m3s = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("downstream_id",
                   downstream_id,
                   {"Plant whose reservoir receives the water: its id in this file", "3"},
                   at_least(0));
        f.required("max_flow_m3s", max_flow_m3s, {"Largest diverted flow", "100"}, non_negative);
    }
};

struct Filling {
    int start_stage_id = 0;
    double filling_min_rate_m3s = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "start_stage_id", start_stage_id, {"Stage (its id) in which filling begins", "0"});
        f.replaced("filling_inflow_m3s", R"(it is "filling_min_rate_m3s")");
        f.optional("filling_min_rate_m3s",
                   filling_min_rate_m3s,
                   {"Least flow that fills the dead volume: at the end of each stage of filling, "
                    "what the storage lacks to be filled by it in time costs "
                    "filling_target_violation_cost",
                    "12"},
                   non_negative);
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
        f.optional("downstream_id",
                   downstream_id,
                   {"Plant that receives the outflow: its id in this file; null: the water leaves "
                    "the system",
                    "2"},
                   at_least(0));
        f.optional("travel_time_hours",
                   travel_time_hours,
                   {"Time that the outflow takes to the next plant; 0 or null: none", "36"},
                   non_negative);
        f.required(
            "reservoir", reservoir, {"Limits of the storage; they hold always, without a price"});
        f.required(
            "outflow", outflow, {"Limits of what leaves the plant downstream, diversion aside"});
        f.required("generation", generation, {"Production model and limits of the whole plant"});
        f.required("unit_groups",
                   unit_groups,
                   {"Groups of like units, one or more; groups on different buses share the "
                    "plant's water"});
        f.optional("specific_productivity_mw_per_m3s_per_m",
                   specific_productivity_mw_per_m3s_per_m,
                   {"Generation for a flow of 1 m³/s and a net head of 1 m; with geometry, the "
                    "equivalent productivity of a plant with planes follows from it",
                    "0.0088",
                    "MW/(m³/s)/m"},
                   non_negative);
        f.optional("tailrace", tailrace, {"Level below the dam; null: 0 m"});
        f.optional("hydraulic_losses", hydraulic_losses, {"Head lost in the conduits; null: none"});
        f.optional("efficiency", efficiency, {"Efficiency of the machines"});
        f.optional("evaporation",
                   evaporation,
                   {"Net evaporation of the reservoir; needs rows of the plant in "
                    "system/hydro_geometry.parquet"});
        f.optional("diversion",
                   diversion,
                   {"Water that may be led into another reservoir past the turbines; costs "
                    "diversion_cost"});
        f.optional(
            "filling",
            filling,
            {"A reservoir that is filled during the study, from start_stage_id until the plant "
             "enters service. Nothing is diverted from it, and its minimum storage may be missed "
             "at storage_violation_below_cost"});
        f.optional("penalties",
                   penalties,
                   {"Costs of this plant that differ from those of penalties.json"});
        lifecycle_fields(f);
    }
};

struct Hydros {
    std::vector<Hydro> hydros;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("hydros", hydros, {"Hydro plants with their reservoirs"});
    }
};

}  // namespace lockstep::formats::cobre::raw
