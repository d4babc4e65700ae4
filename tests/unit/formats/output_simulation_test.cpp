#include <array>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"
#include "lockstep/io/table_groups.hpp"

#include "formats/cobre/write/simulation_parts.hpp"
#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre {
namespace {

using test::files;
using test::reals;
using test::schema;
using test::values;
using test::write_simulation;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

void write_folders(const fs::path& output) {
    write_simulation(output, test::problem(), {SimulationLayout::folders, 1});
}

constexpr std::array table_names = {"costs",
                                    "hydros",
                                    "hydro_bus_generation",
                                    "thermals",
                                    "exchanges",
                                    "buses",
                                    "pumping_stations",
                                    "contracts",
                                    "non_controllables",
                                    "inflow_lags",
                                    "violations/generic"};

std::vector<std::string> other_files() {
    return {"simulation/_SUCCESS",
            "simulation/metadata.json",
            "simulation/scenario_summary.parquet",
            "simulation/paths.parquet",
            "simulation/solver/iterations.parquet",
            "simulation/solver/retry_histogram.parquet"};
}

TEST(OutputSimulationTest, WritesTheSimulationTree) {
    const test::Folder folder;

    write_simulation(folder.path(), test::problem());

    std::vector<std::string> expected = other_files();
    for (const char* table : table_names) {
        expected.push_back(std::string("simulation/") + table + "/part-00000.parquet");
    }
    EXPECT_THAT(files(folder.path()), testing::UnorderedElementsAreArray(expected));
}

TEST(OutputSimulationTest, WritesFoldersOfScenariosOnRequest) {
    const test::Folder folder;

    write_folders(folder.path());

    std::vector<std::string> expected = other_files();
    for (const char* table : table_names) {
        for (const char* scenario : {"0000", "0001"}) {
            expected.push_back(std::string("simulation/") + table + "/scenario_id=" + scenario +
                               "/data.parquet");
        }
    }
    EXPECT_THAT(files(folder.path()), testing::UnorderedElementsAreArray(expected));
}

// As Cobre 0.18.0 (Apache-2.0) for cases/sddp/1dtoy: a row a scenario, without iteration and rank.
TEST(OutputSimulationTest, TellsTheWorkOfEachScenario) {
    const test::Folder folder;

    write_folders(folder.path());

    const fs::path solver = folder.path() / "simulation/solver";
    const io::Table work = io::read_parquet(solver / "iterations.parquet");
    EXPECT_FALSE(work.find("iteration")->is_present(0));
    EXPECT_FALSE(work.find("rank")->is_present(0));
    EXPECT_THAT(values<std::int32_t>(work, "scenario_id"), ElementsAre(0, 1));
    EXPECT_THAT(values<std::string>(work, "phase"), ElementsAre("simulation", "simulation"));
    EXPECT_THAT(values<std::uint32_t>(work, "lp_solves"), ElementsAre(2, 3));
    EXPECT_THAT(values<std::uint64_t>(work, "simplex_iterations"), ElementsAre(7, 9));
    const io::Table histogram = io::read_parquet(solver / "retry_histogram.parquet");
    EXPECT_THAT(values<std::uint32_t>(histogram, "iteration"), ElementsAre(1));
    EXPECT_THAT(values<std::string>(histogram, "phase"), ElementsAre("simulation"));
    EXPECT_THAT(values<std::uint64_t>(histogram, "count"), ElementsAre(1));
}

// What Cobre 0.18.0 (Apache-2.0) writes for cases/sddp/1dtoy, a chain like every case here.
TEST(OutputSimulationTest, PathsPassEveryStageOfTheChain) {
    const test::Folder folder;

    write_folders(folder.path());

    const fs::path file = folder.path() / "simulation/paths.parquet";
    EXPECT_THAT(schema(file), ElementsAre("scenario_id INT32", "stage_id INT32", "node_id INT32"));
    const io::Table paths = io::read_parquet(file);
    EXPECT_THAT(values<std::int32_t>(paths, "scenario_id"), ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(values<std::int32_t>(paths, "stage_id"), ElementsAre(10, 11, 10, 11));
    EXPECT_THAT(values<std::int32_t>(paths, "node_id"), ElementsAre(0, 1, 0, 1));
}

TEST(OutputSimulationTest, HasNoTablesOfEntitiesThatTheProblemLacks) {
    const test::Folder folder;
    sddp::Problem problem = test::problem();
    problem.system.lines.clear();
    sddp::ScenarioResult scenario = test::scenario_result(problem, 0);
    for (sddp::StageResult& stage : scenario.stages) {
        stage.direct_mw.clear();
        stage.reverse_mw.clear();
    }

    SimulationWriter(folder.path(), problem).add(scenario);

    EXPECT_FALSE(fs::exists(folder.path() / "simulation/exchanges"));
    EXPECT_TRUE(fs::exists(folder.path() / "simulation/buses"));
}

// Names, types and order of Cobre 0.18 (Apache-2.0). Integrated productivities may be null here.
TEST(OutputSimulationTest, KeepsTheSchemasOfSimulationTables) {
    const test::Folder folder;
    write_folders(folder.path());
    const auto of = [&folder](const std::string& table) {
        auto columns =
            schema(folder.path() / "simulation" / table / "scenario_id=0001/data.parquet");
        EXPECT_EQ(columns[0], "scenario_id INT32");
        EXPECT_EQ(columns[1], "stage_id INT32");
        EXPECT_EQ(columns[2], "node_id INT32");
        columns.erase(columns.begin(), columns.begin() + 3);
        return columns;
    };

    EXPECT_THAT(of("costs"),
                ElementsAre("block_id INT32?",
                            "total_cost DOUBLE",
                            "immediate_cost DOUBLE",
                            "future_cost DOUBLE",
                            "discount_factor DOUBLE",
                            "thermal_cost DOUBLE",
                            "anticipated_thermal_cost DOUBLE",
                            "contract_cost DOUBLE",
                            "deficit_cost DOUBLE",
                            "excess_cost DOUBLE",
                            "storage_violation_cost DOUBLE",
                            "filling_target_cost DOUBLE",
                            "hydro_violation_cost DOUBLE",
                            "outflow_violation_below_cost DOUBLE",
                            "outflow_violation_above_cost DOUBLE",
                            "turbined_violation_cost DOUBLE",
                            "generation_violation_cost DOUBLE",
                            "evaporation_violation_cost DOUBLE",
                            "withdrawal_violation_cost DOUBLE",
                            "inflow_penalty_cost DOUBLE",
                            "generic_violation_cost DOUBLE",
                            "spillage_cost DOUBLE",
                            "turbined_cost DOUBLE",
                            "curtailment_cost DOUBLE",
                            "exchange_cost DOUBLE",
                            "pumping_cost DOUBLE"));
    EXPECT_THAT(of("hydros"),
                testing::ElementsAreArray({"block_id INT32?",
                                           "hydro_id INT32",
                                           "turbined_m3s DOUBLE",
                                           "spillage_m3s DOUBLE",
                                           "outflow_m3s DOUBLE",
                                           "evaporation_m3s DOUBLE?",
                                           "diverted_inflow_m3s DOUBLE?",
                                           "diverted_outflow_m3s DOUBLE?",
                                           "incremental_inflow_m3s DOUBLE",
                                           "inflow_m3s DOUBLE",
                                           "storage_initial_hm3 DOUBLE",
                                           "storage_final_hm3 DOUBLE",
                                           "generation_mw DOUBLE",
                                           "generation_mwh DOUBLE",
                                           "equivalent_productivity_mw_per_m3s DOUBLE",
                                           "accumulated_productivity_mw_per_m3s DOUBLE",
                                           "incremental_inflow_energy_mw DOUBLE",
                                           "stored_energy_initial_mwh DOUBLE",
                                           "stored_energy_final_mwh DOUBLE",
                                           "spillage_cost DOUBLE",
                                           "water_value_per_hm3 DOUBLE",
                                           "storage_binding_code INT8",
                                           "operative_state_code INT8",
                                           "turbined_slack_m3s DOUBLE",
                                           "outflow_slack_below_m3s DOUBLE",
                                           "outflow_slack_above_m3s DOUBLE",
                                           "generation_slack_mw DOUBLE",
                                           "storage_violation_below_hm3 DOUBLE",
                                           "filling_target_violation_hm3 DOUBLE",
                                           "evaporation_violation_pos_m3s DOUBLE",
                                           "evaporation_violation_neg_m3s DOUBLE",
                                           "inflow_nonnegativity_slack_m3s DOUBLE",
                                           "water_withdrawal_violation_pos_m3s DOUBLE",
                                           "water_withdrawal_violation_neg_m3s DOUBLE",
                                           "integrated_equivalent_productivity_mw_per_m3s DOUBLE?",
                                           "integrated_accumulated_productivity_mw_per_m3s DOUBLE?",
                                           "stored_energy_initial_mw DOUBLE",
                                           "stored_energy_final_mw DOUBLE"}));
    EXPECT_THAT(of("hydro_bus_generation"),
                ElementsAre("block_id INT32?",
                            "hydro_id INT32",
                            "bus_id INT32",
                            "turbined_m3s DOUBLE",
                            "generation_mw DOUBLE",
                            "generation_mwh DOUBLE"));
    EXPECT_THAT(of("thermals"),
                ElementsAre("block_id INT32?",
                            "thermal_id INT32",
                            "generation_mw DOUBLE",
                            "generation_mwh DOUBLE",
                            "generation_cost DOUBLE",
                            "is_anticipated BOOLEAN",
                            "anticipated_committed_mw DOUBLE?",
                            "anticipated_decision_mw DOUBLE?",
                            "operative_state_code INT8"));
    EXPECT_THAT(of("exchanges"),
                ElementsAre("block_id INT32?",
                            "line_id INT32",
                            "direct_flow_mw DOUBLE",
                            "reverse_flow_mw DOUBLE",
                            "net_flow_mw DOUBLE",
                            "net_flow_mwh DOUBLE",
                            "losses_mw DOUBLE",
                            "losses_mwh DOUBLE",
                            "exchange_cost DOUBLE",
                            "operative_state_code INT8"));
    EXPECT_THAT(of("buses"),
                ElementsAre("block_id INT32?",
                            "bus_id INT32",
                            "load_mw DOUBLE",
                            "load_mwh DOUBLE",
                            "deficit_mw DOUBLE",
                            "deficit_mwh DOUBLE",
                            "excess_mw DOUBLE",
                            "excess_mwh DOUBLE",
                            "spot_price DOUBLE"));
    EXPECT_THAT(of("pumping_stations"),
                ElementsAre("block_id INT32?",
                            "pumping_station_id INT32",
                            "pumped_flow_m3s DOUBLE",
                            "pumped_volume_hm3 DOUBLE",
                            "power_consumption_mw DOUBLE",
                            "energy_consumption_mwh DOUBLE",
                            "pumping_cost DOUBLE",
                            "operative_state_code INT8"));
    EXPECT_THAT(of("contracts"),
                ElementsAre("block_id INT32?",
                            "contract_id INT32",
                            "power_mw DOUBLE",
                            "energy_mwh DOUBLE",
                            "price_per_mwh DOUBLE",
                            "total_cost DOUBLE",
                            "operative_state_code INT8"));
    EXPECT_THAT(of("non_controllables"),
                ElementsAre("block_id INT32?",
                            "non_controllable_id INT32",
                            "generation_mw DOUBLE",
                            "generation_mwh DOUBLE",
                            "available_mw DOUBLE",
                            "curtailment_mw DOUBLE",
                            "curtailment_mwh DOUBLE",
                            "curtailment_cost DOUBLE",
                            "operative_state_code INT8"));
    EXPECT_THAT(of("inflow_lags"),
                ElementsAre("hydro_id INT32", "lag_index INT32", "inflow_m3s DOUBLE"));
    EXPECT_THAT(
        of("violations/generic"),
        ElementsAre(
            "block_id INT32?", "constraint_id INT32", "slack_value DOUBLE", "slack_cost DOUBLE"));
    EXPECT_THAT(
        schema(folder.path() / "simulation/scenario_summary.parquet"),
        ElementsAre(
            "scenario_id INT32", "probability DOUBLE?", "discounted_immediate_cost DOUBLE"));
}

TEST(OutputSimulationTest, CostsAddUp) {
    const test::Folder folder;
    write_folders(folder.path());

    const io::Table costs =
        io::read_parquet(folder.path() / "simulation/costs/scenario_id=0000/data.parquet");

    const std::set<std::string> no_parts = {
        "total_cost", "immediate_cost", "future_cost", "hydro_violation_cost"};
    for (std::size_t row = 0; row < costs.rows(); ++row) {
        double parts = 0;
        for (const io::Column& column : costs.columns) {
            if (column.name.ends_with("_cost") && no_parts.count(column.name) == 0) {
                parts += std::get<std::vector<double>>(column.values)[row];
            }
        }
        EXPECT_EQ(parts, reals(costs, "immediate_cost")[row]);
        EXPECT_EQ(reals(costs, "hydro_violation_cost")[row], 6 + 7 + 8 + 9 + 10 + 11);
    }
    EXPECT_THAT(reals(costs, "total_cost"), ElementsAre(6291, 2291));
    EXPECT_FALSE(costs.find("block_id")->is_present(0));
}

TEST(OutputSimulationTest, WorksOutWhatHydrosReport) {
    const test::Folder folder;
    write_folders(folder.path());

    const io::Table table =
        io::read_parquet(folder.path() / "simulation/hydros/scenario_id=0001/data.parquet");

    // Rows: stage 0: Alto, Baixo; stage 1: Alto in blocks 0 and 1, Baixo in blocks 0 and 1.
    EXPECT_THAT(values<std::int32_t>(table, "stage_id"), ElementsAre(10, 10, 11, 11, 11, 11));
    EXPECT_THAT(values<std::int32_t>(table, "hydro_id"), ElementsAre(5, 3, 5, 5, 3, 3));
    EXPECT_THAT(values<std::int32_t>(table, "block_id"), ElementsAre(0, 0, 0, 1, 0, 1));
    EXPECT_THAT(reals(table, "outflow_m3s"), ElementsAre(11, 11, 21, 21, 21, 21));
    EXPECT_THAT(reals(table, "inflow_m3s"), ElementsAre(8, 19, 8, 8, 29, 29));
    EXPECT_THAT(reals(table, "generation_mwh"), ElementsAre(1000, 1000, 1000, 3000, 1000, 3000));
    EXPECT_THAT(reals(table, "accumulated_productivity_mw_per_m3s"),
                ElementsAre(1.5, 0.5, 1.25, 1.25, 0.25, 0.25));
    EXPECT_THAT(reals(table, "incremental_inflow_energy_mw"), ElementsAre(12, 3, 10, 10, 1.5, 1.5));
    // (31 - 10) hm³ · 1.5 MW/(m³/s) · 10⁶/3600
    EXPECT_DOUBLE_EQ(reals(table, "stored_energy_final_mwh")[0], 8750);
    EXPECT_DOUBLE_EQ(reals(table, "stored_energy_final_mw")[0], 87.5);
    const auto present = [&table](const char* name) {
        std::vector<int> out;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            out.push_back(table.find(name)->is_present(row) ? 1 : 0);
        }
        return out;
    };
    EXPECT_THAT(present("evaporation_m3s"), ElementsAre(0, 0, 0, 0, 1, 1));
    EXPECT_THAT(present("diverted_inflow_m3s"), ElementsAre(0, 1, 0, 0, 1, 1));
    EXPECT_THAT(present("diverted_outflow_m3s"), ElementsAre(1, 0, 1, 1, 0, 0));
    EXPECT_THAT(present("integrated_equivalent_productivity_mw_per_m3s"),
                ElementsAre(1, 1, 1, 1, 0, 0));
    EXPECT_THAT(present("integrated_accumulated_productivity_mw_per_m3s"),
                ElementsAre(1, 1, 0, 0, 0, 0));
    EXPECT_EQ(reals(table, "diverted_inflow_m3s")[1], 2);
}

TEST(OutputSimulationTest, WorksOutWhatOtherEntitiesReport) {
    const test::Folder folder;
    write_folders(folder.path());
    const auto table = [&folder](const std::string& name) {
        return io::read_parquet(folder.path() / "simulation" / name /
                                "scenario_id=0000/data.parquet");
    };

    const io::Table thermals = table("thermals");
    EXPECT_THAT(reals(thermals, "generation_cost"), ElementsAre(0, 5000, 15000));
    EXPECT_THAT(values<std::int8_t>(thermals, "operative_state_code"), ElementsAre(0, 2, 2));
    const io::Table exchanges = table("exchanges");
    EXPECT_THAT(reals(exchanges, "net_flow_mwh"), ElementsAre(500, 250, 750));
    EXPECT_THAT(reals(exchanges, "losses_mw"), ElementsAre(0.14, 0.14, 0.14));
    EXPECT_THAT(reals(exchanges, "exchange_cost"), ElementsAre(700, 350, 1050));
    const io::Table sources = table("non_controllables");
    EXPECT_THAT(reals(sources, "generation_mw"), ElementsAre(7, 7, 7));
    EXPECT_THAT(reals(sources, "curtailment_cost"), ElementsAre(600, 300, 900));
    EXPECT_THAT(values<std::int8_t>(sources, "operative_state_code"), ElementsAre(0, 2, 2));
    const io::Table lags = table("inflow_lags");
    EXPECT_THAT(values<std::int32_t>(lags, "hydro_id"), ElementsAre(5, 5, 3, 3, 5, 5, 3, 3));
    EXPECT_THAT(reals(lags, "inflow_m3s"), ElementsAre(1, 3, 2, 4, 1, 3, 2, 4));
    const io::Table slacks = table("violations/generic");
    EXPECT_THAT(values<std::int32_t>(slacks, "constraint_id"), ElementsAre(9, 9));
    EXPECT_EQ(slacks.find("block_id")->is_present(1), false);
    EXPECT_THAT(reals(slacks, "slack_cost"), ElementsAre(375, 250));
}

/// Rows of all scenarios in a table, wherever they lie.
std::size_t rows_of(const Results& results, const char* table, int scenario) {
    return SimulationTableReader(results, table).read(scenario).rows();
}

TEST(OutputSimulationTest, TellsWhatAStudyThatFollowsBeginsWith) {
    const test::Folder folder;
    sddp::Problem problem = test::problem();
    test::add_what_goes_on(problem);
    SimulationWriter(folder.path(), problem, {SimulationLayout::folders, 1})
        .add(test::scenario_result(problem, 0));
    const auto read = [&](const std::string& table) {
        return io::read_parquet(folder.path() / "simulation" / table /
                                "scenario_id=0000/data.parquet");
    };
    const auto days = [](const io::Table& table, const char* name) {
        return std::get<std::vector<io::Day>>(table.find(name)->values);
    };

    const io::Table seed = read("transit_seed");
    EXPECT_THAT(values<std::int32_t>(seed, "stage_id"), ElementsAre(11));  // all of 10 arrives
    EXPECT_THAT(values<std::int32_t>(seed, "hydro_id"), ElementsAre(5));
    EXPECT_THAT(reals(seed, "value_m3s"), ElementsAre(21));
    EXPECT_THAT(days(seed, "end_date"), ElementsAre(problem.calendar.stages[1].end));

    const io::Table lanes = read("anticipated_lanes");
    EXPECT_THAT(values<std::int32_t>(lanes, "stage_id"), ElementsAre(10, 10, 11, 11));
    EXPECT_THAT(values<std::int32_t>(lanes, "thermal_id"), ElementsAre(7, 7, 7, 7));
    EXPECT_THAT(reals(lanes, "value_mw"), ElementsAre(5, 5, 5, 5));
    EXPECT_EQ(days(lanes, "start_date")[2], problem.calendar.stages[1].end);
    EXPECT_THAT(values<std::uint8_t>(lanes, "is_decided_here"), ElementsAre(0, 0, 0, 1));
}

TEST(OutputSimulationTest, BothLayoutsHoldTheSameTables) {
    const test::Folder parts;
    const test::Folder folders;
    const sddp::Problem problem = test::problem();
    write_simulation(parts.path(), problem);
    write_folders(folders.path());
    const Results a = read_results(parts.path());
    const Results b = read_results(folders.path());

    EXPECT_EQ(simulation_table_names(parts.path()), simulation_table_names(folders.path()));
    EXPECT_EQ(simulation_table_names(parts.path()).size(), table_names.size());
    for (const char* name : table_names) {
        SimulationTableReader left(a, name);
        SimulationTableReader right(b, name);
        for (const int scenario : {0, 1, 0}) {
            const io::Table l = left.read(scenario);
            const io::Table r = right.read(scenario);
            ASSERT_EQ(l.columns.size(), r.columns.size());
            for (std::size_t i = 0; i < l.columns.size(); ++i) {
                EXPECT_EQ(l.columns[i].name, r.columns[i].name);
                EXPECT_EQ(l.columns[i].values, r.columns[i].values) << name;
                for (std::size_t row = 0; row < l.rows(); ++row) {
                    EXPECT_EQ(l.columns[i].is_present(row), r.columns[i].is_present(row));
                }
            }
        }
        EXPECT_EQ(rows_of(a, name, 2), 0U) << name;
    }
}

// What ranks leave does not depend on how many they are and who had which scenario, also where a
// batch was done again and a rank left a torn record.
TEST(OutputSimulationTest, RanksTogetherWriteTheBytesOfOne) {
    const test::Folder alone;
    const test::Folder together;
    const sddp::Problem problem = test::problem();
    write_simulation(alone.path(), problem);
    {
        SimulationWriter lost(together.path(), problem, {SimulationLayout::parts, 3});
        lost.add(test::scenario_result(problem, 1));
        SimulationWriter first(together.path(), problem, {SimulationLayout::parts, 3});
        SimulationWriter second(together.path(), problem, {SimulationLayout::parts, 3});
        second.add(test::scenario_result(problem, 0));
        second.add(test::scenario_result(problem, 0));
        second.sync();
        first.finish(test::input(), test::simulation(), test::run_info());
        // The first rank is lost before the others know that it has finished.
        second.finish(test::input(), test::simulation(), test::run_info());
        // So is another one, and the same rank does it again.
        second.finish(test::input(), test::simulation(), test::run_info());
        second.tidy();
    }

    ASSERT_EQ(files(together.path()), files(alone.path()));
    for (const std::string& file : files(alone.path())) {
        EXPECT_EQ(io::read_file(together.path() / file), io::read_file(alone.path() / file))
            << file;
    }
}

TEST(OutputSimulationTest, ALostScenarioIsTold) {
    const test::Folder folder;
    const sddp::Problem problem = test::problem();
    SimulationWriter writer(folder.path(), problem, {SimulationLayout::parts, 2});
    writer.add(test::scenario_result(problem, 0));

    EXPECT_THROW(writer.finish(test::input(), test::simulation(), test::run_info()), IoError);
    EXPECT_FALSE(fs::exists(folder.path() / "simulation/_SUCCESS"));
}

TEST(OutputSimulationTest, PartsAndGroupsEndWithAScenario) {
    const test::Folder folder;
    io::Table schema;
    schema.columns = {{"scenario_id", std::vector<std::int32_t>{}, false, {}}};
    out::SimulationParts parts(folder.path() / "simulation/costs", schema, {5, 8});
    for (const int rows : {2, 2, 3, 0, 2, 9, 1}) {
        const auto scenario = static_cast<std::int32_t>(parts.rows());  // any ascending number
        schema.columns[0].values =
            std::vector<std::int32_t>(static_cast<std::size_t>(rows), scenario);
        parts.add(schema);
    }
    parts.close();

    EXPECT_EQ(parts.parts(), 4);
    EXPECT_EQ(parts.rows(), 19U);
    const auto sizes = [&](int part) {
        const io::TableGroups groups(folder.path() / "simulation/costs" / out::part_name(part));
        std::vector<std::size_t> rows;
        for (int group = 0; group < groups.size(); ++group) {
            rows.push_back(groups.read(group).rows());
        }
        return rows;
    };
    EXPECT_THAT(sizes(0), ElementsAre(4, 3));
    EXPECT_THAT(sizes(1), ElementsAre(2));
    EXPECT_THAT(sizes(2), ElementsAre(9));
    EXPECT_THAT(sizes(3), ElementsAre(1));
    Results results;
    results.directory = folder.path();
    EXPECT_EQ(rows_of(results, "costs", 4), 3U);
    EXPECT_EQ(rows_of(results, "costs", 18), 1U);
    SimulationTableReader table(results, "costs");
    for (const auto& [scenario, rows] : {std::pair(0, 2U), {2, 2U}, {3, 0U}, {9, 9U}, {0, 2U}}) {
        EXPECT_EQ(table.read(scenario).rows(), rows) << scenario;
    }
}

TEST(OutputSimulationTest, RefusesAResultOfTheWrongShape) {
    const test::Folder folder;
    const sddp::Problem problem = test::problem();
    sddp::ScenarioResult scenario = test::scenario_result(problem, 0);
    scenario.stages[1].spot_price.pop_back();
    SimulationWriter writer(folder.path(), problem);

    try {
        writer.add(scenario);
        FAIL() << "no error";
    } catch (const AssertionError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("result of stage 1: spot_price holds 3 values, expected 4"));
    }
}

TEST(OutputSimulationTest, ForgetsScenariosOfAnEarlierRun) {
    const test::Folder folder;
    const sddp::Problem problem = test::problem();
    write_simulation(folder.path(), problem);
    io::write_file(folder.path() / "simulation/notes.txt", "mine");

    clear_simulation(folder.path());

    EXPECT_THAT(files(folder.path()), ElementsAre("simulation/notes.txt"));
}

TEST(OutputSimulationTest, WritesEqualBytesForEqualResults) {
    const test::Folder a;
    const test::Folder b;
    const sddp::Problem problem = test::problem();
    write_simulation(a.path(), problem);
    write_simulation(b.path(), problem);

    for (const std::string& file : files(a.path())) {
        EXPECT_EQ(io::read_file(a.path() / file), io::read_file(b.path() / file)) << file;
    }
}

}  // namespace
}  // namespace lockstep::formats::cobre
