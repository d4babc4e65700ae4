#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

/// What the simulation tables need to know of a problem beyond its own fields.
struct SimulationFacts {
    explicit SimulationFacts(const sddp::Problem& problem);

    const sddp::Problem* problem;
    std::vector<std::vector<int>> diverters;  ///< [hydros], plants that divert into it
    /// Sum of the plant's and all downstream plants' equivalent productivities, [hydros][stages].
    std::vector<std::vector<double>> accumulated;
};

/// A row of a simulation table: an entity in a block of a stage of a scenario. Tables without
/// blocks or entities leave them 0; inflow_lags keep the lag, violations/generic the slack,
/// in_transit how many periods later, anticipated_lanes the delivery in them.
struct SimulationRow {
    const SimulationFacts* facts = nullptr;
    const sddp::StageResult* result = nullptr;
    int scenario = 0;
    int entity = 0;
    int block = 0;

    [[nodiscard]] const sddp::System& system() const noexcept { return facts->problem->system; }
    [[nodiscard]] const sddp::Stage& stage() const noexcept {
        return facts->problem->calendar.stages[at(result->stage)];
    }
    [[nodiscard]] double hours() const noexcept { return stage().blocks[at(block)].hours; }
    [[nodiscard]] double by_entity(std::span<const double> values) const noexcept {
        return values[at(entity)];
    }
    [[nodiscard]] double by_block(std::span<const double> values) const noexcept {
        return block_value(values, entity);
    }
    [[nodiscard]] double block_value(std::span<const double> values, int index) const noexcept {
        return values[static_cast<std::size_t>(index) * static_cast<std::size_t>(result->blocks) +
                      static_cast<std::size_t>(block)];
    }
    /// Of a table with a value for each of the stage's periods.
    [[nodiscard]] double by_period(std::span<const double> values) const noexcept {
        return result->periods > 1 ? by_block(values) : by_entity(values);
    }
    [[nodiscard]] double by_stage(std::span<const double> values) const noexcept {
        return values[at(result->stage)];
    }
    template <typename Entity>
    [[nodiscard]] const Entity& of(const std::vector<Entity>& entities) const noexcept {
        return entities[at(entity)];
    }
};

/// The tables of a scenario, each with the rule that says which rows it has.
struct SimulationTable {
    TableDefinition<SimulationRow> definition;
    /// Whether the problem has such entities at all.
    bool (*exists)(const sddp::Problem& problem);
    /// Appends the rows of one stage. `row` comes with facts, result and scenario set.
    void (*rows)(SimulationRow row, std::vector<SimulationRow>& out);
};

/// In the order of docs: costs, hydros, hydro_bus_generation, thermals …
const std::vector<SimulationTable>& simulation_tables();

/// Columns of simulation/costs that add up to immediate_cost.
std::vector<std::string> cost_parts();

struct ScenarioSummaryRow {
    int scenario = 0;
    double cost = 0;
    std::optional<double> probability;  ///< of a path that was enumerated
};
const TableDefinition<ScenarioSummaryRow>& scenario_summary_table();

/// A scenario in a stage.
struct PathRow {
    int scenario = 0;
    int node_id = 0;
    int stage_id = 0;
};
const TableDefinition<PathRow>& paths_table();

// Definitions of single tables, by file of definition.
TableDefinition<SimulationRow> costs_definition();
TableDefinition<SimulationRow> hydros_definition();
TableDefinition<SimulationRow> hydro_bus_generation_definition();
TableDefinition<SimulationRow> inflow_lags_definition();
TableDefinition<SimulationRow> in_transit_definition();
TableDefinition<SimulationRow> transit_seed_definition();
TableDefinition<SimulationRow> anticipated_lanes_definition();
TableDefinition<SimulationRow> thermals_definition();
TableDefinition<SimulationRow> exchanges_definition();
TableDefinition<SimulationRow> buses_definition();
TableDefinition<SimulationRow> pumping_stations_definition();
TableDefinition<SimulationRow> contracts_definition();
TableDefinition<SimulationRow> batteries_definition();
TableDefinition<SimulationRow> non_controllables_definition();
TableDefinition<SimulationRow> generic_violations_definition();

/// scenario_id, stage_id, node_id and, for `block`, block_id, then `fields`.
TableDefinition<SimulationRow> simulation_definition(const std::string& table,
                                                     bool block,
                                                     std::vector<Field<SimulationRow>> fields);

void describe_simulation_tables(std::vector<ColumnDescription>& out);

}  // namespace lockstep::formats::cobre::out
