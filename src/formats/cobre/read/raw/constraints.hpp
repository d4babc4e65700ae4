#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/about.hpp"
#include "formats/cobre/read/raw/penalties.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// constraints/*: bounds and costs that override an entity's own, and generic constraints.

/// What a row overrides: an entity in a stage, in one block or (empty) in all of them.
struct Cell {
    int entity_id = 0;
    int stage_id = 0;
    std::optional<int> block_id;
};

struct ThermalBounds : Cell {
    std::optional<double> min_mw;
    std::optional<double> max_mw;
    std::optional<double> cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("thermal_id", &ThermalBounds::entity_id, about::thermal_id);
        c.required("stage_id", &ThermalBounds::stage_id, about::stage_id);
        c.optional("block_id", &ThermalBounds::block_id, about::block_id);
        c.optional("min_generation_mw",
                   &ThermalBounds::min_mw,
                   {"Least generation; null: as declared", "50"},
                   non_negative);
        c.optional("max_generation_mw",
                   &ThermalBounds::max_mw,
                   {"Largest generation; null: as declared. Maintenance stands here", "180"},
                   non_negative);
        c.optional("cost_per_mwh",
                   &ThermalBounds::cost,
                   {"Variable cost of generation, for a whole stage only (block_id null); null: as "
                    "declared",
                    "135"},
                   non_negative);
    }
};

struct HydroBounds : Cell {
    std::optional<double> min_turbined;
    std::optional<double> max_turbined;
    std::optional<double> min_storage;
    std::optional<double> max_storage;
    std::optional<double> min_outflow;
    std::optional<double> max_outflow;
    std::optional<double> min_generation;
    std::optional<double> max_generation;
    std::optional<double> min_diversion;
    std::optional<double> max_diversion;
    std::optional<double> min_spillage;
    std::optional<double> max_spillage;
    std::optional<double> filling_min_rate;
    std::optional<double> withdrawal;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &HydroBounds::entity_id, about::hydro_id);
        c.required("stage_id", &HydroBounds::stage_id, about::stage_id);
        c.optional("block_id", &HydroBounds::block_id, about::block_id);
        c.optional("min_turbined_m3s",
                   &HydroBounds::min_turbined,
                   {"Without effect: minima are those of unit groups", "0"},
                   non_negative);
        c.optional("max_turbined_m3s",
                   &HydroBounds::max_turbined,
                   {"Largest turbined flow, not above the declared one; null: as declared", "350"},
                   non_negative);
        c.optional("min_storage_hm3",
                   &HydroBounds::min_storage,
                   {"Storage that the plant is never below at the end of the stage, for a whole "
                    "stage only; null: as declared",
                    "400"},
                   non_negative);
        c.optional("max_storage_hm3",
                   &HydroBounds::max_storage,
                   {"Storage that the plant is never above at the end of the stage, for a whole "
                    "stage only, for example to hold back floods; null: as declared",
                    "1800"},
                   non_negative);
        c.optional("min_outflow_m3s",
                   &HydroBounds::min_outflow,
                   {"Least outflow; null: as declared", "80"},
                   non_negative);
        c.optional("max_outflow_m3s",
                   &HydroBounds::max_outflow,
                   {"Largest outflow; null: as declared", "3000"},
                   non_negative);
        c.optional("min_generation_mw",
                   &HydroBounds::min_generation,
                   {"Without effect: minima are those of unit groups", "0"},
                   non_negative);
        c.optional("max_generation_mw",
                   &HydroBounds::max_generation,
                   {"Largest generation, not above the declared one; null: as declared", "250"},
                   non_negative);
        c.optional("min_diversion_m3s",
                   &HydroBounds::min_diversion,
                   {"Least diverted flow; null: 0", "0"},
                   non_negative);
        c.optional("max_diversion_m3s",
                   &HydroBounds::max_diversion,
                   {"Largest diverted flow; null: as declared", "80"},
                   non_negative);
        c.optional("min_spillage_m3s",
                   &HydroBounds::min_spillage,
                   {"Least spillage; null: 0", "0"},
                   non_negative);
        c.optional("max_spillage_m3s",
                   &HydroBounds::max_spillage,
                   {"Largest spillage; null: no limit", "1000"},
                   non_negative);
        c.optional(
            "filling_min_rate_m3s",
            &HydroBounds::filling_min_rate,
            {"Least flow that fills a reservoir in the stage, for a whole stage only; null: as "
             "declared",
             "15"},
            non_negative);
        c.optional("water_withdrawal_m3s",
                   &HydroBounds::withdrawal,
                   {"Water taken from the reservoir for other uses, for a whole stage only; below "
                    "0: water given back; null: 0",
                    "12"});
    }
};

struct UnitGroupBounds : Cell {
    int group_id = 0;
    std::optional<double> min_turbined;
    std::optional<double> max_turbined;
    std::optional<double> min_generation;
    std::optional<double> max_generation;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &UnitGroupBounds::entity_id, about::hydro_id);
        c.required("hydro_unit_group_id",
                   &UnitGroupBounds::group_id,
                   {"Unit group: its id in the plant", "0"});
        c.required("stage_id", &UnitGroupBounds::stage_id, about::stage_id);
        c.optional("block_id", &UnitGroupBounds::block_id, about::block_id);
        c.optional("min_turbined_m3s",
                   &UnitGroupBounds::min_turbined,
                   {"Least turbined flow of the group; null: as declared", "20"},
                   non_negative);
        c.optional("max_turbined_m3s",
                   &UnitGroupBounds::max_turbined,
                   {"Largest turbined flow of the group; null: as declared", "100"},
                   non_negative);
        c.optional("min_generation_mw",
                   &UnitGroupBounds::min_generation,
                   {"Least generation of the group; null: as declared", "15"},
                   non_negative);
        c.optional("max_generation_mw",
                   &UnitGroupBounds::max_generation,
                   {"Largest generation of the group; null: as declared", "75"},
                   non_negative);
    }
};

struct LineBounds : Cell {
    std::optional<double> direct_mw;
    std::optional<double> reverse_mw;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("line_id", &LineBounds::entity_id, about::line_id);
        c.required("stage_id", &LineBounds::stage_id, about::stage_id);
        c.optional("block_id", &LineBounds::block_id, about::block_id);
        c.optional("direct_mw",
                   &LineBounds::direct_mw,
                   {"Largest flow from the source bus to the target bus; null: as declared", "400"},
                   non_negative);
        c.optional("reverse_mw",
                   &LineBounds::reverse_mw,
                   {"Largest flow from the target bus to the source bus; null: as declared", "400"},
                   non_negative);
    }
};

struct SourceBounds : Cell {
    double available_mw = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("ncs_id", &SourceBounds::entity_id, about::ncs_id);
        c.required("stage_id", &SourceBounds::stage_id, about::stage_id);
        c.required("available_generation_mw",
                   &SourceBounds::available_mw,
                   {"Generation that is available in the stage; without effect on sources with "
                    "rows in scenarios/non_controllable_stats.parquet",
                    "220"},
                   non_negative);
    }
};

struct PumpingBounds : Cell {
    std::optional<double> min_m3s;
    std::optional<double> max_m3s;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("pumping_station_id", &PumpingBounds::entity_id, about::pumping_station_id);
        c.required("stage_id", &PumpingBounds::stage_id, about::stage_id);
        c.optional("block_id", &PumpingBounds::block_id, about::block_id);
        c.optional("min_m3s",
                   &PumpingBounds::min_m3s,
                   {"Least pumped flow; null: as declared", "0"},
                   non_negative);
        c.optional("max_m3s",
                   &PumpingBounds::max_m3s,
                   {"Largest pumped flow; null: as declared", "40"},
                   non_negative);
    }
};

struct ContractBounds : Cell {
    std::optional<double> min_mw;
    std::optional<double> max_mw;
    std::optional<double> price;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("contract_id", &ContractBounds::entity_id, about::contract_id);
        c.required("stage_id", &ContractBounds::stage_id, about::stage_id);
        c.optional("block_id", &ContractBounds::block_id, about::block_id);
        c.optional("min_mw",
                   &ContractBounds::min_mw,
                   {"Least power; null: as declared", "0"},
                   non_negative);
        c.optional("max_mw",
                   &ContractBounds::max_mw,
                   {"Largest power; null: as declared", "80"},
                   non_negative);
        c.optional("price_per_mwh",
                   &ContractBounds::price,
                   {"Cost of the energy, negative for revenue; null: as declared", "95"});
    }
};

/// No part of Cobre's format.
struct BatteryBounds : Cell {
    std::optional<double> max_charge_mw;
    std::optional<double> max_discharge_mw;
    std::optional<double> min_energy_mwh;
    std::optional<double> max_energy_mwh;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("battery_id", &BatteryBounds::entity_id, about::battery_id);
        c.required("stage_id", &BatteryBounds::stage_id, about::stage_id);
        c.optional("block_id", &BatteryBounds::block_id, about::block_id);
        c.optional("max_charge_mw",
                   &BatteryBounds::max_charge_mw,
                   {"Largest power taken from the bus; null: as declared", "30"},
                   non_negative);
        c.optional("max_discharge_mw",
                   &BatteryBounds::max_discharge_mw,
                   {"Largest power given to the bus; null: as declared", "30"},
                   non_negative);
        c.optional("min_energy_mwh",
                   &BatteryBounds::min_energy_mwh,
                   {"Energy that the battery is never below in the stage, for a whole stage only; "
                    "null: as declared",
                    "40",
                    "MWh"},
                   non_negative);
        c.optional("max_energy_mwh",
                   &BatteryBounds::max_energy_mwh,
                   {"Energy that the battery is never above in the stage, for a whole stage only; "
                    "null: as declared",
                    "150",
                    "MWh"},
                   non_negative);
    }
};

struct BusCosts : Cell {
    std::optional<double> excess_cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("bus_id", &BusCosts::entity_id, about::bus_id);
        c.required("stage_id", &BusCosts::stage_id, about::stage_id);
        c.optional("block_id", &BusCosts::block_id, about::block_of_cost);
        c.optional("excess_cost",
                   &BusCosts::excess_cost,
                   {"Cost of generation that nobody takes; null: as declared", "0.1", "$/MWh"},
                   positive);
    }
};

struct LineCosts : Cell {
    std::optional<double> exchange_cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("line_id", &LineCosts::entity_id, about::line_id);
        c.required("stage_id", &LineCosts::stage_id, about::stage_id);
        c.optional("block_id", &LineCosts::block_id, about::block_of_cost);
        c.optional("exchange_cost",
                   &LineCosts::exchange_cost,
                   {"Cost of a flow in either direction; null: as declared", "0.02", "$/MWh"},
                   positive);
    }
};

struct SourceCosts : Cell {
    std::optional<double> curtailment_cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("ncs_id", &SourceCosts::entity_id, about::ncs_id);
        c.required("stage_id", &SourceCosts::stage_id, about::stage_id);
        c.optional("block_id", &SourceCosts::block_id, about::block_of_cost);
        c.optional(
            "curtailment_cost",
            &SourceCosts::curtailment_cost,
            {"Cost of available generation that is not used; null: as declared", "0.1", "$/MWh"},
            positive);
    }
};

struct HydroStageCosts : Cell, HydroCosts {
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &HydroStageCosts::entity_id, about::hydro_id);
        c.required("stage_id", &HydroStageCosts::stage_id, about::stage_id);
        c.optional("block_id",
                   &HydroStageCosts::block_id,
                   {"Block of the stage, from 0; null: all blocks. A row for a block goes before "
                    "one for all. Costs of storages, of withdrawals, of added inflow, and of "
                    "evaporation where blocks are parallel, are of a whole stage only. Not in "
                    "Cobre",
                    "0"});
        const auto optional = [&](const char* key, auto member, const About& about, Range range) {
            c.optional(key, member, about, range);
        };
        symmetric(optional);
        directional(optional);
        inflow(optional);
    }
};

struct Slack {
    bool enabled = false;
    std::optional<double> penalty;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("enabled",
                   enabled,
                   {"Whether the constraint may be missed at a price; else a case that cannot meet "
                    "it has no solution",
                    "true"});
        f.optional("penalty",
                   penalty,
                   {"Price of missing the constraint by one unit of its expression for an hour; "
                    "required with enabled",
                    "5000",
                    "$/(unit·h)"},
                   positive);
    }
};

struct GenericConstraint {
    int line = 0;
    int id = 0;
    std::string name;
    std::optional<std::string> description;
    std::string expression;
    Slack slack;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required(
            "id",
            id,
            {"Number by which constraints/generic_constraint_bounds.parquet refers to it", "0"},
            at_least(0));
        f.required("name", name, {"Name for people; results show it", "southern_import"});
        f.optional("description", description, {"What it is for", "Import into the south"});
        f.required("expression",
                   expression,
                   {"Sum of variables with coefficients, alone or in a relation (<=, >=, ==) with "
                    "numbers or another sum; @name stands for a named expression",
                    "line_exchange(0) + 0.5 * thermal_generation(3) <= 800"});
        f.replaced("sense",
                   "give bound_lower or bound_upper in "
                   "constraints/generic_constraint_bounds.parquet");
        f.required("slack", slack, {"Whether and at what price the constraint may be missed"});
    }
};

struct NamedExpression {
    int line = 0;
    std::string name;
    std::string expression;
    std::optional<std::string> description;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("name",
                   name,
                   {"Name by which expressions refer to it, with @ before it", "southern_hydro"});
        f.required(
            "expression",
            expression,
            {"Sum of variables with coefficients", "hydro_generation(1) + hydro_generation(2)"});
        f.optional("description", description, {"What it is for", "Hydro generation in the south"});
    }
};

struct GenericConstraints {
    std::vector<NamedExpression> expressions;
    std::vector<GenericConstraint> constraints;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("expressions", expressions, {"Sums that constraints refer to by name"});
        f.required("constraints",
                   constraints,
                   {"Constraints on sums of variables; each holds in the stages and blocks that "
                    "have rows in constraints/generic_constraint_bounds.parquet"});
    }
};

struct GenericBounds : Cell {
    std::optional<double> lower;
    std::optional<double> upper;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("constraint_id",
                   &GenericBounds::entity_id,
                   {"Constraint: its id in constraints/generic_constraints.json", "0"});
        c.required("stage_id", &GenericBounds::stage_id, about::stage_id);
        c.optional("block_id", &GenericBounds::block_id, about::block_id);
        c.optional("bound_lower",
                   &GenericBounds::lower,
                   {"Least value of the expression, in its own unit, added to the constants of its "
                    "relation; null: none",
                    "0",
                    "unit of the expression"});
        c.optional("bound_upper",
                   &GenericBounds::upper,
                   {"Largest value of the expression, in its own unit, added to the constants of "
                    "its relation; null: none",
                    "800",
                    "unit of the expression"});
    }
};

enum class ParameterKind { constant, per_stage, seasonal, per_stage_block, computed };
constexpr std::array<Choice<ParameterKind>, 5> choices(ParameterKind) {
    return {{{"constant", ParameterKind::constant},
             {"per_stage", ParameterKind::per_stage},
             {"seasonal", ParameterKind::seasonal},
             {"per_stage_block", ParameterKind::per_stage_block},
             {"computed", ParameterKind::computed}}};
}

enum class ComputedTag {
    equivalent_productivity,
    accumulated_productivity,
    reference_volume,
    reference_turbine,
    min_storage,
    max_storage,
    specific_productivity,
    integrated_equivalent_productivity,
    integrated_accumulated_productivity,
    max_stored_energy,
};
constexpr std::array<Choice<ComputedTag>, 10> choices(ComputedTag) {
    return {
        {{"equivalent_productivity", ComputedTag::equivalent_productivity},
         {"accumulated_productivity", ComputedTag::accumulated_productivity},
         {"reference_volume", ComputedTag::reference_volume},
         {"reference_turbine", ComputedTag::reference_turbine},
         {"min_storage", ComputedTag::min_storage},
         {"max_storage", ComputedTag::max_storage},
         {"specific_productivity", ComputedTag::specific_productivity},
         {"integrated_equivalent_productivity", ComputedTag::integrated_equivalent_productivity},
         {"integrated_accumulated_productivity", ComputedTag::integrated_accumulated_productivity},
         {"max_stored_energy", ComputedTag::max_stored_energy}}};
}

/// A number that follows from a plant.
struct ComputedSpec {
    ComputedTag tag = ComputedTag::equivalent_productivity;
    int hydro_id = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("tag",
                   tag,
                   {"Which number. accumulated: of the plant and all downstream, added up; "
                    "integrated: at the mean level of the storage range; reference_volume and "
                    "reference_turbine: where the equivalent productivity is taken; "
                    "max_stored_energy: of the full useful volume, in MWh"});
        f.required("hydro_id", hydro_id, about::hydro_id);
    }
};

inline constexpr const char* parameter_unit = "what it multiplies or is compared with";

/// A named number of expressions.
struct ScalarParameter {
    int line = 0;
    int id = 0;
    std::string name;
    ParameterKind kind = ParameterKind::constant;
    double value = 0;
    std::vector<std::array<double, 2>> values;
    std::vector<std::array<double, 3>> block_values;
    ComputedSpec computed_spec;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("id", id, {"Number of the parameter, unique in this file", "0"}, at_least(0));
        f.required(
            "name", name, {"Name by which expressions refer to it, with @ before it", "floor"});
        f.required("kind", kind, {"What the value depends on, and so where it is given"});
        if (f.when(kind == ParameterKind::constant, "kind constant")) {
            f.required("value", value, {"The value", "45", parameter_unit});
        }
        if (f.when(kind == ParameterKind::per_stage || kind == ParameterKind::seasonal,
                   "kind per_stage or seasonal")) {
            f.required("values",
                       values,
                       {"Pairs of a stage (its id; all from 0 on) or season (its id) and the value "
                        "there",
                        "[[0, 45], [1, 48]]",
                        parameter_unit});
        }
        if (f.when(kind == ParameterKind::per_stage_block, "kind per_stage_block")) {
            f.required("block_values",
                       block_values,
                       {"Triples of a stage (its id), a block of it and the value there",
                        "[[0, 0, 45], [0, 1, 30]]",
                        parameter_unit});
        }
        if (f.when(kind == ParameterKind::computed, "kind computed")) {
            f.required("computed_spec", computed_spec, {"What is computed, and of which plant"});
        }
    }
};

struct GenericParameters {
    std::vector<ScalarParameter> scalar_parameters;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("scalar_parameters",
                   scalar_parameters,
                   {"Named numbers that expressions multiply variables by or compare with"});
    }
};

}  // namespace lockstep::formats::cobre::raw
