#include "formats/cobre/write/tables/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre::out {
namespace {

double accumulate_downstream(const sddp::System& system, int hydro, std::size_t stage) {
    double sum = 0;
    for (int h = hydro; h >= 0; h = system.hydros[at(h)].downstream) {
        sum += system.hydros[at(h)].equivalent_productivity[stage];
    }
    return sum;
}

void all_blocks(SimulationRow row, std::size_t entities, std::vector<SimulationRow>& out) {
    for (row.entity = 0; row.entity < static_cast<int>(entities); ++row.entity) {
        for (row.block = 0; row.block < row.result->blocks; ++row.block) {
            out.push_back(row);
        }
    }
}

void cost_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    out.push_back(row);
}
void hydro_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().hydros.size(), out);
}
void cell_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.result->cell.hydro.size(), out);
}
void thermal_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().thermals.size(), out);
}
void line_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().lines.size(), out);
}
void bus_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().buses.size(), out);
}
void station_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().pumping_stations.size(), out);
}
void contract_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().contracts.size(), out);
}
void battery_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().batteries.size(), out);
}
void source_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    all_blocks(row, row.system().sources.size(), out);
}
void lag_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    const int lags = row.facts->problem->process.inflow.lags;
    for (row.entity = 0; row.entity < row.facts->problem->hydro_count(); ++row.entity) {
        for (row.block = 0; row.block < lags; ++row.block) {
            out.push_back(row);
        }
    }
}
void transit_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    for (row.entity = 0; row.entity < row.facts->problem->hydro_count(); ++row.entity) {
        const int periods = row.of(row.system().hydros).transit_periods();
        for (row.block = 1; row.block <= periods; ++row.block) {
            out.push_back(row);
        }
    }
}
/// Whether some of what a plant releases in a stage comes after the study.
bool arrives_late(const sddp::Hydro& plant, const sddp::Calendar& calendar, int stage) {
    constexpr double rounding = 1e-9;
    for (int p = calendar.first_period(stage); p < calendar.first_period(stage + 1); ++p) {
        double in_time = 0;
        for (const double share : plant.arrival_shares[at(p)]) {
            in_time += share;
        }
        if (in_time < 1 - rounding) {
            return true;
        }
    }
    return false;
}
void seed_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    for (row.entity = 0; row.entity < row.facts->problem->hydro_count(); ++row.entity) {
        const auto& plant = row.of(row.system().hydros);
        if (!plant.arrival_shares.empty() &&
            arrives_late(plant, row.facts->problem->calendar, row.result->stage)) {
            out.push_back(row);
        }
    }
}
void lane_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    const auto thermals = static_cast<int>(row.system().thermals.size());
    for (row.entity = 0; row.entity < thermals; ++row.entity) {
        const auto& deliveries = row.of(row.system().thermals).deliveries;
        for (row.block = 0; row.block < static_cast<int>(deliveries.size()); ++row.block) {
            const auto& delivery = deliveries[at(row.block)];
            if (delivery.decided_in <= row.result->stage && delivery.stage > row.result->stage) {
                out.push_back(row);
            }
        }
    }
}
const sddp::GenericConstraint& constraint_of(const SimulationRow& row) {
    return row.system().constraints[at(row.of(row.result->generic).constraint)];
}
void slack_rows(SimulationRow row, std::vector<SimulationRow>& out) {
    const auto slacks = static_cast<int>(row.result->generic.size());
    for (row.entity = 0; row.entity < slacks; ++row.entity) {
        out.push_back(row);
    }
    std::stable_sort(
        out.end() - slacks, out.end(), [](const SimulationRow& a, const SimulationRow& b) {
            return constraint_of(a).id < constraint_of(b).id;
        });
}

bool always(const sddp::Problem&) {
    return true;
}
bool has_hydros(const sddp::Problem& p) {
    return !p.system.hydros.empty();
}
bool has_thermals(const sddp::Problem& p) {
    return !p.system.thermals.empty();
}
bool has_lines(const sddp::Problem& p) {
    return !p.system.lines.empty();
}
bool has_stations(const sddp::Problem& p) {
    return !p.system.pumping_stations.empty();
}
bool has_contracts(const sddp::Problem& p) {
    return !p.system.contracts.empty();
}
bool has_batteries(const sddp::Problem& p) {
    return !p.system.batteries.empty();
}
bool has_sources(const sddp::Problem& p) {
    return !p.system.sources.empty();
}
bool has_lags(const sddp::Problem& p) {
    return has_hydros(p) && p.process.inflow.lags > 0;
}
bool has_transits(const sddp::Problem& p) {
    return p.system.transit_count() > 0;
}
bool has_commitments(const sddp::Problem& p) {
    return p.system.commitment_count() > 0;
}
bool has_constraints(const sddp::Problem& p) {
    return !p.system.constraints.empty();
}

template <typename Row>
Field<Row> scenario_column() {
    return {"scenario_id", "", "Scenario, from 0", [](const Row& r) -> std::int32_t {
                return r.scenario;
            }};
}

int node_of(const SimulationRow& row) {
    return row.facts->problem->node_id(row.result->node);
}

int node_of(const PathRow& row) {
    return row.node_id;
}

int stage_id_of(const SimulationRow& row) {
    return row.stage().id;
}

int stage_id_of(const PathRow& row) {
    return row.stage_id;
}

template <typename Row>
Field<Row> stage_column() {
    return {"stage_id", "", "Stage id as declared", [](const Row& r) -> std::int32_t {
                return stage_id_of(r);
            }};
}

template <typename Row>
Field<Row> node_column() {
    return {"node_id",
            "",
            "Node of the policy graph; without nodes the stage index, from 0",
            [](const Row& r) -> std::int32_t { return node_of(r); }};
}

}  // namespace

SimulationFacts::SimulationFacts(const sddp::Problem& p)
    : problem(&p), diverters(p.system.hydros.size()), accumulated(p.system.hydros.size()) {
    const auto& hydros = p.system.hydros;
    for (std::size_t h = 0; h < hydros.size(); ++h) {
        if (hydros[h].diversion_target >= 0) {
            diverters[at(hydros[h].diversion_target)].push_back(static_cast<int>(h));
        }
        for (std::size_t t = 0; t < p.calendar.stages.size(); ++t) {
            accumulated[h].push_back(accumulate_downstream(p.system, static_cast<int>(h), t));
        }
    }
}

TableDefinition<SimulationRow> simulation_definition(const std::string& table,
                                                     bool block,
                                                     std::vector<Field<SimulationRow>> fields) {
    using Row = SimulationRow;
    std::vector<Field<Row>> all = {
        scenario_column<Row>(),
        stage_column<Row>(),
        node_column<Row>(),
    };
    if (block) {
        all.emplace_back(
            "block_id", "", "Block index, from 0", [](const Row& r) -> std::optional<std::int32_t> {
                return r.block;
            });
    }
    for (Field<Row>& field : fields) {
        all.push_back(std::move(field));
    }
    return {"simulation/" + table, std::move(all)};
}

const std::vector<SimulationTable>& simulation_tables() {
    static const std::vector<SimulationTable> tables = {
        {costs_definition(), &always, &cost_rows},
        {hydros_definition(), &has_hydros, &hydro_rows},
        {hydro_bus_generation_definition(), &has_hydros, &cell_rows},
        {thermals_definition(), &has_thermals, &thermal_rows},
        {exchanges_definition(), &has_lines, &line_rows},
        {buses_definition(), &always, &bus_rows},
        {pumping_stations_definition(), &has_stations, &station_rows},
        {contracts_definition(), &has_contracts, &contract_rows},
        {batteries_definition(), &has_batteries, &battery_rows},
        {non_controllables_definition(), &has_sources, &source_rows},
        {inflow_lags_definition(), &has_lags, &lag_rows},
        {in_transit_definition(), &has_transits, &transit_rows},
        {transit_seed_definition(), &has_transits, &seed_rows},
        {anticipated_lanes_definition(), &has_commitments, &lane_rows},
        {generic_violations_definition(), &has_constraints, &slack_rows},
    };
    return tables;
}

const TableDefinition<ScenarioSummaryRow>& scenario_summary_table() {
    using Row = ScenarioSummaryRow;
    static const TableDefinition<Row> table(
        "simulation/scenario_summary",
        {
            scenario_column<Row>(),
            {"probability",
             "",
             "Of an enumerated path; null: scenarios are sampled, equally likely",
             [](const Row& r) { return r.probability; }},
            {"discounted_immediate_cost",
             "$",
             "Immediate costs of all stages, discounted, added up",
             [](const Row& r) { return r.cost; }},
        });
    return table;
}

const TableDefinition<PathRow>& paths_table() {
    using Row = PathRow;
    static const TableDefinition<Row> table("simulation/paths",
                                            {
                                                scenario_column<Row>(),
                                                stage_column<Row>(),
                                                node_column<Row>(),
                                            });
    return table;
}

void describe_simulation_tables(std::vector<ColumnDescription>& out) {
    for (const SimulationTable& table : simulation_tables()) {
        table.definition.describe(out);
    }
    scenario_summary_table().describe(out);
    paths_table().describe(out);
}

}  // namespace lockstep::formats::cobre::out
