#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/formats/cobre/result_records.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre {
namespace {

using test::files;
using test::reals;
using test::schema;
using test::values;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
namespace fs = std::filesystem;

/// The first cells of a column, nothing where they are null.
std::vector<std::optional<std::int32_t>> numbers(const io::Table& table,
                                                 const std::string& name,
                                                 std::size_t count) {
    std::vector<std::optional<std::int32_t>> out;
    for (std::size_t row = 0; row < count; ++row) {
        out.push_back(table.find(name)->is_present(row)
                          ? std::optional(values<std::int32_t>(table, name)[row])
                          : std::nullopt);
    }
    return out;
}

TEST(OutputTrainingTest, WritesTheTrainingTree) {
    const test::Folder folder;

    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());

    EXPECT_THAT(files(folder.path()),
                ElementsAre("generic_constraints/resolved_echo.parquet",
                            "hydro_models/evaporation_models.parquet",
                            "training/_SUCCESS",
                            "training/convergence.parquet",
                            "training/dictionaries/bounds.parquet",
                            "training/dictionaries/codes.json",
                            "training/dictionaries/entities.csv",
                            "training/dictionaries/state_dictionary.json",
                            "training/dictionaries/variables.csv",
                            "training/hydro_models.json",
                            "training/metadata.json",
                            "training/model_provenance.json",
                            "training/scaling_report.json",
                            "training/solver/iterations.parquet",
                            "training/solver/retry_histogram.parquet",
                            "training/timing/iterations.parquet",
                            "training/timing/ranks.parquet"));
    EXPECT_EQ(io::read_file(folder.path() / "training/_SUCCESS"), "");
}

TEST(OutputTrainingTest, TellsWhatWasSelectedOfTheCuts) {
    const test::Folder folder;
    auto trained = test::training();
    trained.iterations[0].selection = {{0, 8, 7, 3, 1, 2, 0.25}};
    auto input = test::input();
    input.config.train.selection.most_selected = 3;

    write_training(folder.path(), input, test::problem(), trained, test::run_info());

    const auto file = folder.path() / "training/cut_selection/iterations.parquet";
    EXPECT_THAT(schema(file),
                ElementsAre("iteration INT32",
                            "stage_id INT32",
                            "cuts_populated INT32",
                            "cuts_active_before INT32",
                            "cuts_deactivated INT32",
                            "cuts_reactivated INT32",
                            "cuts_active_after INT32",
                            "selection_time_ms DOUBLE",
                            "budget_evicted INT32?",
                            "active_after_budget INT32?"));
    const auto table = io::read_parquet(file);
    EXPECT_THAT(numbers(table, "cuts_active_after", 1), ElementsAre(5));
    EXPECT_THAT(numbers(table, "active_after_budget", 1), ElementsAre(3));
    EXPECT_THAT(reals(table, "selection_time_ms"), ElementsAre(250));

    input.config.train.selection.most_selected = 0;
    write_training(folder.path(), input, test::problem(), trained, test::run_info());
    EXPECT_THAT(numbers(io::read_parquet(file), "active_after_budget", 1),
                ElementsAre(std::nullopt));
}

TEST(OutputTrainingTest, TellsTheBoundFromWithin) {
    const test::Folder folder;
    auto trained = test::training();
    trained.iterations.back().inner_bound = 2 * trained.lower_bound;
    auto input = test::input();
    input.config.train.inner.every = 1;

    const auto metadata =
        write_training(folder.path(), input, test::problem(), trained, test::run_info());

    const auto table = io::read_parquet(folder.path() / "training/inner_bounds.parquet");
    EXPECT_FALSE(table.find("inner_bound")->is_present(0));
    EXPECT_EQ(training_record(metadata).inner_bound, 2 * trained.lower_bound);
}

TEST(OutputTrainingTest, TellsTheEstimatedCostOfThePolicy) {
    const test::Folder folder;
    auto trained = test::training();
    auto& last = trained.iterations.back();
    last.policy_cost = 2 * trained.lower_bound;
    last.policy_cost_half_width_95 = 7;
    last.policy_cost_seconds = 0.5;
    auto input = test::input();
    input.config.train.policy_cost.every = 1;

    const auto metadata =
        write_training(folder.path(), input, test::problem(), trained, test::run_info());

    const auto table = io::read_parquet(folder.path() / "training/policy_costs.parquet");
    EXPECT_FALSE(table.find("policy_cost")->is_present(0));
    EXPECT_EQ(training_record(metadata).policy_cost, 2 * trained.lower_bound);
    EXPECT_EQ(training_record(metadata).policy_cost_half_width_95, 7);
    const auto read = read_results(folder.path()).policy_costs;
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].iteration, last.iteration);
    EXPECT_EQ(read[0].value, last.policy_cost);
}

// Names, types and order of Cobre 0.18 (Apache-2.0).
TEST(OutputTrainingTest, KeepsTheSchemasOfTrainingTables) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());
    const fs::path training = folder.path() / "training";

    EXPECT_THAT(schema(training / "convergence.parquet"),
                ElementsAre("iteration INT32",
                            "lower_bound DOUBLE",
                            "upper_bound DOUBLE",
                            "upper_bound_std DOUBLE?",
                            "upper_bound_kind STRING",
                            "gap_percent DOUBLE?",
                            "cuts_added INT32",
                            "cuts_removed INT32",
                            "cuts_active INT64",
                            "time_forward_ms INT64",
                            "time_backward_ms INT64",
                            "time_total_ms INT64",
                            "forward_passes INT32",
                            "lp_solves INT64",
                            "mean_rows_in_lp DOUBLE"));
    EXPECT_THAT(schema(training / "timing/iterations.parquet"),
                ElementsAre("iteration INT32",
                            "rank INT32?",
                            "worker_id INT32?",
                            "forward_wall_ms INT64",
                            "backward_wall_ms INT64",
                            "cut_selection_ms INT64",
                            "mpi_allreduce_ms INT64",
                            "cut_sync_ms INT64",
                            "lower_bound_ms INT64",
                            "state_exchange_ms INT64",
                            "cut_batch_build_ms INT64",
                            "bwd_setup_ms INT64",
                            "bwd_load_imbalance_ms INT64",
                            "bwd_scheduling_overhead_ms INT64",
                            "fwd_setup_ms INT64",
                            "fwd_load_imbalance_ms INT64",
                            "fwd_scheduling_overhead_ms INT64",
                            "overhead_ms INT64",
                            "lazy_scoring_ms INT64"));
    EXPECT_THAT(schema(training / "solver/iterations.parquet"),
                ElementsAre("iteration INT32?",
                            "scenario_id INT32?",
                            "phase STRING",
                            "stage_id INT32?",
                            "opening_index INT32?",
                            "rank INT32?",
                            "worker_id INT32?",
                            "lp_solves UINT32",
                            "lp_successes UINT32",
                            "lp_retries UINT32",
                            "lp_failures UINT32",
                            "retry_attempts UINT32",
                            "basis_offered UINT32",
                            "basis_consistency_failures UINT32",
                            "simplex_iterations UINT64",
                            "solve_time_ms DOUBLE",
                            "load_model_time_ms DOUBLE",
                            "set_bounds_time_ms DOUBLE",
                            "basis_set_time_ms DOUBLE"));
    EXPECT_THAT(schema(training / "dictionaries/bounds.parquet"),
                ElementsAre("entity_type_code INT8",
                            "entity_id INT32",
                            "hydro_id INT32?",
                            "stage_id INT32",
                            "block_id INT32?",
                            "bound_type_code INT8",
                            "bound_value DOUBLE"));
}

TEST(OutputTrainingTest, TellsIterationsAsTheyWere) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());
    const fs::path training = folder.path() / "training";

    const io::Table convergence = io::read_parquet(training / "convergence.parquet");
    EXPECT_THAT(values<std::int32_t>(convergence, "iteration"), ElementsAre(1, 2));
    EXPECT_THAT(reals(convergence, "gap_percent"), ElementsAre(900, 150));
    EXPECT_THAT(values<std::int32_t>(convergence, "cuts_removed"), ElementsAre(0, 2));
    EXPECT_THAT(values<std::int64_t>(convergence, "lp_solves"), ElementsAre(25, 25));
    const io::Table timing = io::read_parquet(training / "timing/iterations.parquet");
    EXPECT_THAT(values<std::int64_t>(timing, "backward_wall_ms"), ElementsAre(750, 750));
    // 1.5 - 0.25 - 0.75 - 0.125 - 0.0625 = 0.3125 s
    EXPECT_THAT(values<std::int64_t>(timing, "overhead_ms"), ElementsAre(313, 313));
    const io::Table solver = io::read_parquet(training / "solver/iterations.parquet");
    EXPECT_THAT(values<std::uint64_t>(solver, "simplex_iterations"),
                ElementsAre(50, 30, 100, 60, 10, 50, 30, 100, 60, 10));
}

TEST(OutputTrainingTest, TellsWorkByStageAndOpening) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());

    const io::Table solver = io::read_parquet(folder.path() / "training/solver/iterations.parquet");
    const auto phase = values<std::string>(solver, "phase");
    ASSERT_EQ(phase.size(), 10u);
    EXPECT_THAT(std::vector(phase.begin(), phase.begin() + 5),
                ElementsAre("forward", "forward", "backward", "backward", "lower_bound"));
    EXPECT_THAT(numbers(solver, "stage_id", 5), ElementsAre(10, 11, 11, 11, std::nullopt));
    EXPECT_THAT(numbers(solver, "opening_index", 5),
                ElementsAre(std::nullopt, std::nullopt, 0, 1, std::nullopt));
    EXPECT_THAT(numbers(solver, "rank", 5), ElementsAre(0, 0, 0, 0, 0));
    EXPECT_THAT(numbers(solver, "worker_id", 5),
                ElementsAre(std::nullopt, std::nullopt, 0, 0, std::nullopt));
    EXPECT_EQ(values<std::uint32_t>(solver, "basis_offered")[2], 4u);
    EXPECT_EQ(values<double>(solver, "solve_time_ms")[0], 250);
    EXPECT_EQ(values<double>(solver, "load_model_time_ms")[0], 125);
    EXPECT_EQ(values<double>(solver, "set_bounds_time_ms")[0], 62.5);
    EXPECT_EQ(values<double>(solver, "basis_set_time_ms")[0], 31.25);
}

TEST(OutputTrainingTest, ClearsWhatARunWroteOfTheProcess) {
    const test::Folder folder;
    write_stochastic(folder.path(), test::problem());
    io::write_file(folder.path() / "stochastic/notes.txt", "mine");

    clear_stochastic(folder.path());

    EXPECT_THAT(files(folder.path()), ElementsAre("stochastic/notes.txt"));
    fs::remove(folder.path() / "stochastic/notes.txt");
    clear_stochastic(folder.path());
    EXPECT_FALSE(fs::exists(folder.path() / "stochastic"));
}

// Schema of what Cobre 0.18.0 (Apache-2.0) writes for cases/sddp/1dtoy; its levels count from 0.
TEST(OutputTrainingTest, CountsSolvesThatNeededFurtherAttempts) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());
    const fs::path training = folder.path() / "training";

    const io::Table solver = io::read_parquet(training / "solver/iterations.parquet");
    EXPECT_THAT(values<std::uint32_t>(solver, "lp_retries"),
                ElementsAre(0, 0, 2, 1, 0, 0, 0, 3, 1, 0));
    EXPECT_THAT(values<std::uint32_t>(solver, "retry_attempts"),
                ElementsAre(0, 0, 2, 1, 0, 0, 0, 7, 1, 0));
    const fs::path file = training / "solver/retry_histogram.parquet";
    EXPECT_THAT(schema(file),
                ElementsAre("iteration UINT32",
                            "phase STRING",
                            "stage_id INT32?",
                            "retry_level UINT32",
                            "count UINT64"));
    const io::Table histogram = io::read_parquet(file);
    EXPECT_THAT(values<std::uint32_t>(histogram, "iteration"), ElementsAre(1, 2, 2));
    EXPECT_THAT(values<std::string>(histogram, "phase"),
                ElementsAre("backward", "backward", "backward"));
    EXPECT_THAT(numbers(histogram, "stage_id", 3), ElementsAre(11, 11, 11));
    EXPECT_THAT(values<std::uint32_t>(histogram, "retry_level"), ElementsAre(0, 0, 4));
    EXPECT_THAT(values<std::uint64_t>(histogram, "count"), ElementsAre(3, 3, 1));
    const io::Json metadata = io::read_json(training / "metadata.json");
    EXPECT_EQ(*metadata.find("solve_stats")->find("first_try")->if_integer(), 43);
    EXPECT_EQ(*metadata.find("solve_stats")->find("retried")->if_integer(), 7);
    EXPECT_THAT(training_record(metadata).retried, ElementsAre(6, 0, 0, 0, 1));
}

// Keys of Cobre 0.18.0 (Apache-2.0) for cases/sddp/d13-generic-constraint, and objective_scale.
TEST(OutputTrainingTest, ReportsTheScalingOfEachStage) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());

    const io::Json report = io::read_json(folder.path() / "training/scaling_report.json");

    EXPECT_EQ(report.find("cost_scale_factor")->if_number(), 1);
    EXPECT_EQ(*report.find("summary")->find("num_stages")->if_integer(), 2);
    EXPECT_EQ(report.find("summary")->find("worst_pre_scaling_matrix_ratio")->if_number(), 8);
    EXPECT_EQ(
        io::to_text(report.find("stages")->if_array()->at(1)),
        R"({"stage_id":11,"dimensions":{"num_cols":5,"num_rows":2,"num_nz":7},"objective_scale":0.125,)"
        R"("pre_scaling":{"matrix_coeff_range":[0.5,4.0],"matrix_coeff_ratio":8.0,)"
        R"("objective_range":[8.0,1024.0],"objective_ratio":128.0},)"
        R"("post_scaling":{"matrix_coeff_range":[0.5,4.0],"matrix_coeff_ratio":8.0,)"
        R"("objective_range":[1.0,64.0],"objective_ratio":64.0},)"
        R"("col_scale":{"min":0.5,"max":1.0,"median":1.0,"count":5},)"
        R"("row_scale":{"min":1.0,"max":1.0,"median":1.0,"count":2}})");
}

TEST(OutputTrainingTest, LeavesTheSpreadOfOneTrajectoryOut) {
    const test::Folder folder;
    CaseFacts input = test::input();
    input.config.train.forward_passes = 1;

    write_training(folder.path(), input, test::problem(), test::training(), test::run_info());

    const io::Table table = io::read_parquet(folder.path() / "training/convergence.parquet");
    EXPECT_FALSE(table.find("upper_bound_std")->is_present(0));
}

TEST(OutputTrainingTest, PutsDigestStatusAndStagesIntoMetadata) {
    const test::Folder folder;

    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());

    const io::Json metadata = io::read_json(folder.path() / "training/metadata.json");
    EXPECT_EQ(*metadata.find("software")->if_string(), "lockstep");
    EXPECT_EQ(*metadata.find("status")->if_string(), "complete");
    EXPECT_EQ(*metadata.find("digest")->if_string(), "bc0a000000000000ef0d000000000000");
    EXPECT_EQ(*metadata.find("input_digest")->if_string(), "01000000000000000200000000000000");
    EXPECT_EQ(*metadata.find("configuration")->find("max_iterations")->if_integer(), 3);
    // The wind park serves in stage 1 only: 9 MW, 200 h, 3 $/MWh; the rate of discount is 0.
    EXPECT_EQ(metadata.find("curtailment_constant")->if_number(), 5400);
    EXPECT_EQ(*metadata.find("row_pool")->find("total_generated")->if_integer(), 8);
    EXPECT_EQ(*metadata.find("row_pool")->find("peak_active")->if_integer(), 6);
    EXPECT_EQ(*metadata.find("solve_stats")->find("total_lp_solves")->if_integer(), 50);
    EXPECT_EQ(*metadata.find("problem_dimensions")->find("state_dimension")->if_integer(), 6);
    const auto& stages = *metadata.find("stages")->if_array();
    ASSERT_EQ(stages.size(), 2);
    EXPECT_EQ(*stages[1].find("start_date")->if_string(), "2026-02-01");
    EXPECT_EQ(stages[1].find("block_hours")->if_array()->at(1).if_number(), 150);
}

TEST(OutputTrainingTest, CallsAnEndedTrainingPartial) {
    const test::Folder folder;
    sddp::TrainResult result = test::training();
    result.stop = sddp::StopReason::infeasible;
    result.failure = sddp::Failure{
        sddp::Phase::forward, 2, 1, 0, -1, lp::Status::infeasible, {"water balance of Alto"}, ""};

    write_training(folder.path(), test::input(), test::problem(), result, test::run_info());

    const io::Json metadata = io::read_json(folder.path() / "training/metadata.json");
    EXPECT_EQ(*metadata.find("status")->if_string(), "partial");
    EXPECT_EQ(*metadata.find("failure")->find("stage_id")->if_integer(), 11);
}

TEST(OutputTrainingTest, ListsTheStateInTheOrderOfCuts) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());

    const io::Json dictionary =
        io::read_json(folder.path() / "training/dictionaries/state_dictionary.json");

    std::vector<std::string> state;
    for (const io::Json& slot : *dictionary.find("state_variables")->if_array()) {
        const io::Json* lag = slot.find("lag_index");
        state.push_back(*slot.find("type")->if_string() + " " +
                        std::to_string(*slot.find("entity_id")->if_integer()) +
                        (lag == nullptr ? "" : " " + std::to_string(*lag->if_integer())));
    }
    EXPECT_THAT(state,
                ElementsAre("storage 5",
                            "storage 3",
                            "inflow_lag 5 1",
                            "inflow_lag 3 1",
                            "inflow_lag 5 2",
                            "inflow_lag 3 2"));
}

TEST(OutputTrainingTest, QuotesNamesInTheListOfEntities) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());

    EXPECT_EQ(io::read_file(folder.path() / "training/dictionaries/entities.csv"),
              "entity_type_code,entity_id,name,bus_id,system_id\n"
              "0,5,Alto,20,0\n"
              "0,3,Baixo,20,0\n"
              "1,7,Gas,21,0\n"
              "2,20,\"North, \"\"upper\"\"\",20,0\n"
              "2,21,South,21,0\n"
              "3,1,Link,-1,0\n"
              "4,6,Lift,21,0\n"
              "5,4,Sale,20,0\n"
              "7,4,Wind,21,0\n");
}

TEST(OutputTrainingTest, GivesBoundsOncePerStageWhereBlocksAgree) {
    const test::Folder folder;
    write_training(
        folder.path(), test::input(), test::problem(), test::training(), test::run_info());
    const io::Table table =
        io::read_parquet(folder.path() / "training/dictionaries/bounds.parquet");

    EXPECT_THAT(values<std::int32_t>(table, "stage_id"), Each(AnyOf(10, 11)));
    std::vector<std::string> generation_max_of_alto;
    std::vector<double> flow_min;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const int type = values<std::int8_t>(table, "entity_type_code")[row];
        const int bound = values<std::int8_t>(table, "bound_type_code")[row];
        const double value = reals(table, "bound_value")[row];
        EXPECT_NE(bound, 5) << "there is no maximum outflow";
        if (type == 3 && bound == 8) {
            flow_min.push_back(value);
        }
        if (type == 0 && bound == 7 && values<std::int32_t>(table, "entity_id")[row] == 5) {
            const bool has_block = table.find("block_id")->is_present(row);
            const int block = values<std::int32_t>(table, "block_id")[row];
            generation_max_of_alto.push_back((has_block ? std::to_string(block) : "-") + " " +
                                             std::to_string(static_cast<int>(value)));
        }
    }
    EXPECT_THAT(generation_max_of_alto, ElementsAre("- 50", "0 50", "1 45"));
    EXPECT_THAT(flow_min, ElementsAre(-8, -8));
}

TEST(OutputTrainingTest, ExportsTheProcessInTheSchemasOfTheInput) {
    const test::Folder folder;
    write_stochastic(folder.path(), test::problem());
    const fs::path stochastic = folder.path() / "stochastic";

    EXPECT_THAT(files(stochastic),
                ElementsAre("correlation.json",
                            "fitting_report.json",
                            "inflow_ar_coefficients.parquet",
                            "inflow_seasonal_stats.parquet",
                            "load_seasonal_stats.parquet",
                            "noise_openings.parquet"));
    EXPECT_THAT(
        schema(stochastic / "noise_openings.parquet"),
        ElementsAre(
            "stage_id INT32", "opening_index UINT32", "entity_index UINT32", "value DOUBLE"));
    const io::Table openings = io::read_parquet(stochastic / "noise_openings.parquet");
    EXPECT_THAT(values<std::int32_t>(openings, "stage_id"),
                ElementsAre(10, 10, 10, 11, 11, 11, 11, 11, 11));
    EXPECT_THAT(reals(openings, "value"), ElementsAre(0.5, -1, 2, 1, 2, 3, 4, 5, 6));
    const io::Table statistics = io::read_parquet(stochastic / "inflow_seasonal_stats.parquet");
    EXPECT_THAT(values<std::int32_t>(statistics, "hydro_id"), ElementsAre(5, 5, 5, 3));
    EXPECT_THAT(values<std::int32_t>(statistics, "stage_id"), ElementsAre(-2, -1, 10, 11));
    EXPECT_THAT(schema(stochastic / "inflow_ar_coefficients.parquet"),
                ElementsAre("hydro_id INT32", "stage_id INT32", "lag INT32", "coefficient DOUBLE"));
    EXPECT_THAT(schema(stochastic / "load_seasonal_stats.parquet"),
                ElementsAre("bus_id INT32", "stage_id INT32", "mean_mw DOUBLE", "std_mw DOUBLE"));
    const io::Json correlation = io::read_json(stochastic / "correlation.json");
    const io::Json& group = correlation.find("profiles")
                                ->find("default")
                                ->find("correlation_groups")
                                ->if_array()
                                ->front();
    EXPECT_EQ(*group.find("entities")->if_array()->at(0).find("id")->if_integer(), 5);
    EXPECT_EQ(group.find("matrix")->if_array()->at(1).if_array()->at(0).if_number(), 0.5);
    const io::Json fit = io::read_json(stochastic / "fitting_report.json");
    EXPECT_EQ(*fit.find("hydros")->if_array()->at(0).find("hydro_id")->if_integer(), 3);
}

}  // namespace
}  // namespace lockstep::formats::cobre
