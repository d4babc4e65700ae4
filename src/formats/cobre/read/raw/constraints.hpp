#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/cobre/read/raw/penalties.hpp"
#include "formats/cobre/records.hpp"
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
        c.required("thermal_id", &ThermalBounds::entity_id);
        c.required("stage_id", &ThermalBounds::stage_id);
        c.optional("block_id", &ThermalBounds::block_id);
        c.optional("min_generation_mw", &ThermalBounds::min_mw, non_negative);
        c.optional("max_generation_mw", &ThermalBounds::max_mw, non_negative);
        c.optional("cost_per_mwh", &ThermalBounds::cost, non_negative);
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
        c.required("hydro_id", &HydroBounds::entity_id);
        c.required("stage_id", &HydroBounds::stage_id);
        c.optional("block_id", &HydroBounds::block_id);
        c.optional("min_turbined_m3s", &HydroBounds::min_turbined, non_negative);
        c.optional("max_turbined_m3s", &HydroBounds::max_turbined, non_negative);
        c.optional("min_storage_hm3", &HydroBounds::min_storage, non_negative);
        c.optional("max_storage_hm3", &HydroBounds::max_storage, non_negative);
        c.optional("min_outflow_m3s", &HydroBounds::min_outflow, non_negative);
        c.optional("max_outflow_m3s", &HydroBounds::max_outflow, non_negative);
        c.optional("min_generation_mw", &HydroBounds::min_generation, non_negative);
        c.optional("max_generation_mw", &HydroBounds::max_generation, non_negative);
        c.optional("min_diversion_m3s", &HydroBounds::min_diversion, non_negative);
        c.optional("max_diversion_m3s", &HydroBounds::max_diversion, non_negative);
        c.optional("min_spillage_m3s", &HydroBounds::min_spillage, non_negative);
        c.optional("max_spillage_m3s", &HydroBounds::max_spillage, non_negative);
        c.optional("filling_min_rate_m3s", &HydroBounds::filling_min_rate, non_negative);
        c.optional("water_withdrawal_m3s", &HydroBounds::withdrawal);
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
        c.required("hydro_id", &UnitGroupBounds::entity_id);
        c.required("hydro_unit_group_id", &UnitGroupBounds::group_id);
        c.required("stage_id", &UnitGroupBounds::stage_id);
        c.optional("block_id", &UnitGroupBounds::block_id);
        c.optional("min_turbined_m3s", &UnitGroupBounds::min_turbined, non_negative);
        c.optional("max_turbined_m3s", &UnitGroupBounds::max_turbined, non_negative);
        c.optional("min_generation_mw", &UnitGroupBounds::min_generation, non_negative);
        c.optional("max_generation_mw", &UnitGroupBounds::max_generation, non_negative);
    }
};

struct LineBounds : Cell {
    std::optional<double> direct_mw;
    std::optional<double> reverse_mw;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("line_id", &LineBounds::entity_id);
        c.required("stage_id", &LineBounds::stage_id);
        c.optional("block_id", &LineBounds::block_id);
        c.optional("direct_mw", &LineBounds::direct_mw, non_negative);
        c.optional("reverse_mw", &LineBounds::reverse_mw, non_negative);
    }
};

struct SourceBounds : Cell {
    double available_mw = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("ncs_id", &SourceBounds::entity_id);
        c.required("stage_id", &SourceBounds::stage_id);
        c.required("available_generation_mw", &SourceBounds::available_mw, non_negative);
    }
};

struct BusCosts : Cell {
    std::optional<double> excess_cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("bus_id", &BusCosts::entity_id);
        c.required("stage_id", &BusCosts::stage_id);
        c.optional("excess_cost", &BusCosts::excess_cost, positive);
    }
};

struct LineCosts : Cell {
    std::optional<double> exchange_cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("line_id", &LineCosts::entity_id);
        c.required("stage_id", &LineCosts::stage_id);
        c.optional("exchange_cost", &LineCosts::exchange_cost, positive);
    }
};

struct SourceCosts : Cell {
    std::optional<double> curtailment_cost;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("ncs_id", &SourceCosts::entity_id);
        c.required("stage_id", &SourceCosts::stage_id);
        c.optional("curtailment_cost", &SourceCosts::curtailment_cost, positive);
    }
};

struct HydroStageCosts : Cell, HydroCosts {
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &HydroStageCosts::entity_id);
        c.required("stage_id", &HydroStageCosts::stage_id);
        const auto optional = [&](const char* key, auto member, Range range) {
            c.optional(key, member, range);
        };
        symmetric(optional);
        directional(optional);
        inflow(optional);
    }
};

/// A row of a table of which the reader only wants to know whether it has any.
struct AnyRow {
    template <typename Columns>
    static void columns(Columns&) {}
};

struct Slack {
    bool enabled = false;
    std::optional<double> penalty;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("enabled", enabled);
        f.optional("penalty", penalty, positive);
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
        f.required("id", id, at_least(0));
        f.required("name", name);
        f.optional("description", description);
        f.required("expression", expression);
        f.replaced("sense",
                   "give bound_lower or bound_upper in "
                   "constraints/generic_constraint_bounds.parquet");
        f.required("slack", slack);
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
        f.required("name", name);
        f.required("expression", expression);
        f.optional("description", description);
    }
};

struct GenericConstraints {
    std::vector<NamedExpression> expressions;
    std::vector<GenericConstraint> constraints;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("expressions", expressions);
        f.required("constraints", constraints);
    }
};

struct GenericBounds : Cell {
    std::optional<double> lower;
    std::optional<double> upper;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("constraint_id", &GenericBounds::entity_id);
        c.required("stage_id", &GenericBounds::stage_id);
        c.optional("block_id", &GenericBounds::block_id);
        c.optional("bound_lower", &GenericBounds::lower);
        c.optional("bound_upper", &GenericBounds::upper);
    }
};

/// Parameters are refused as they are, so nothing more is read of them.
struct GenericParameters {
    std::vector<io::Json> scalar_parameters;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("scalar_parameters", scalar_parameters);
    }
};

}  // namespace lockstep::formats::cobre::raw
