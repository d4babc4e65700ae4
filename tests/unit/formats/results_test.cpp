#include "lockstep/formats/cobre/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/formats/cobre/simulation_summary.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "unit/formats/results_fixture.hpp"

namespace lockstep::formats::cobre {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An output directory with a training and a simulation of two scenarios.
class ResultsTest : public testing::Test {
protected:
    ResultsTest() : problem_(test::problem()) {
        write_training(folder_.path(), test::input(), problem_, test::training(), test::run_info());
        SimulationWriter writer(folder_.path(), problem_);
        writer.add(test::scenario_result(problem_, 0));
        writer.add(test::scenario_result(problem_, 1));
        writer.finish(test::input(), test::simulation(), test::run_info());
    }

    test::Folder folder_;
    sddp::Problem problem_;
};

TEST_F(ResultsTest, ReadsMetadataConvergenceAndStages) {
    const Results results = read_results(folder_.path());

    ASSERT_TRUE(results.training && results.simulation);
    EXPECT_TRUE(results.training->is_complete);
    EXPECT_EQ(results.training->iterations, 2);
    EXPECT_EQ(results.training->lower_bound, 200);
    EXPECT_EQ(results.training->stop_reason, "iteration_limit");
    EXPECT_EQ(results.training->host, "node1");
    EXPECT_EQ(results.training->size.inflow_lags, 2);
    EXPECT_THAT(results.training->settings, ElementsAre(Setting("training.tree_seed", "42")));
    EXPECT_EQ(results.simulation->scenarios, 2);
    EXPECT_EQ(results.simulation->mean, 2437);
    EXPECT_EQ(results.provenance->path, "full_estimation");
    EXPECT_EQ(results.policy, folder_.path() / "policy");
    ASSERT_EQ(results.stages.size(), 2);
    EXPECT_EQ(results.stages[1].id, 11);
    EXPECT_EQ(results.stages[1].start, "2026-02-01");
    EXPECT_EQ(results.stages[1].hours, 200);
    EXPECT_THAT(results.stages[1].block_hours, ElementsAre(50, 150));
    EXPECT_THAT(simulated_scenarios(results), ElementsAre(0, 1));
}

TEST_F(ResultsTest, ReadsIterationsAndRanks) {
    const Results results = read_results(folder_.path());

    ASSERT_EQ(results.iterations.size(), 2);
    const IterationRecord& second = results.iterations[1];
    EXPECT_EQ(second.iteration, 2);
    EXPECT_EQ(second.lower_bound, 200);
    EXPECT_EQ(second.upper_bound, 500);
    EXPECT_DOUBLE_EQ(second.half_width_95(), 1.96 * 7 / 2);
    EXPECT_DOUBLE_EQ(second.gap, 1.5);
    EXPECT_EQ(second.cuts_active, 6);
    EXPECT_EQ(second.lp_solves, 25);
    EXPECT_DOUBLE_EQ(second.backward_seconds, 0.75);
    ASSERT_EQ(results.ranks.size(), 2);
    EXPECT_DOUBLE_EQ(results.ranks[1].communication, 0.0625);
}

TEST_F(ResultsTest, NamesAColumnThatIsMissing) {
    const auto file = folder_.path() / "training/convergence.parquet";
    io::Table table = io::read_parquet(file);
    std::erase_if(table.columns, [](const io::Column& c) { return c.name == "lp_solves"; });
    io::write_parquet(file, table);

    try {
        read_results(folder_.path());
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("convergence.parquet: column \"lp_solves\" is missing"));
    }
}

TEST_F(ResultsTest, KnowsPlantsByName) {
    EXPECT_EQ(hydro_name(folder_.path(), 3), "Baixo");
    EXPECT_EQ(hydro_name(folder_.path(), 99), "");
}

TEST_F(ResultsTest, CountsOnlyPartsThatWereFinished) {
    std::filesystem::remove(folder_.path() / "simulation/_SUCCESS");

    const Results results = read_results(folder_.path());

    EXPECT_TRUE(results.training);
    EXPECT_FALSE(results.simulation);
    EXPECT_THROW(summarize_simulation(results), IoError);
}

TEST_F(ResultsTest, SaysThatThereAreNoResults) {
    const test::Folder empty;

    try {
        read_results(empty.path());
        FAIL() << "no error";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("holds no finished results"));
        EXPECT_EQ(error.exit_code(), 66);
    }
}

// Enumerated paths count by their probabilities.
TEST_F(ResultsTest, WeighsScenariosThatAreNotAlike) {
    const auto file = folder_.path() / "simulation/scenario_summary.parquet";
    io::Table table = io::read_parquet(file);
    for (io::Column& column : table.columns) {
        if (column.name == "probability") {
            column = {"probability", std::vector<double>{0.25, 0.75}};
        }
    }
    io::write_parquet(file, table);

    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_THAT(summary.scenario_weight, ElementsAre(0.5, 1.5));
    const Spread& storage = summary.hydros[1].storage;
    EXPECT_THAT(storage.median, ElementsAre(30, 30));
    EXPECT_THAT(storage.min, ElementsAre(20, 20));
    EXPECT_THAT(storage.mean, ElementsAre(27.5, 27.5));
}

TEST(DistributionTest, TakesQuantilesByWeight) {
    const std::vector<double> values{4, 1, 3, 2};
    EXPECT_EQ(Distribution(values, {}).quantile(0.5), 2.5);
    EXPECT_EQ(Distribution({}, {}).quantile(0.5), 0);
    const Distribution weighed(values, std::vector<double>{0.4, 0.4, 2.8, 0.4});
    EXPECT_EQ(weighed.quantile(0), 1);
    EXPECT_EQ(weighed.quantile(0.2), 2);
    EXPECT_EQ(weighed.quantile(0.5), 3);
    EXPECT_EQ(weighed.quantile(0.9), 3);
    EXPECT_EQ(weighed.quantile(1), 4);
}

TEST_F(ResultsTest, FoldsScenarios) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_EQ(summary.scenarios, 2);
    EXPECT_THAT(summary.scenario_cost, ElementsAre(2436.5, 2437.5));
    ASSERT_EQ(summary.hydros.size(), 2);
    EXPECT_EQ(summary.hydros[0].id, 5);
    EXPECT_EQ(summary.hydros[0].name, "Alto");
    const Spread& storage = summary.hydros[1].storage;
    EXPECT_THAT(storage.min, ElementsAre(20, 20));
    EXPECT_THAT(storage.p10, ElementsAre(21, 21));
    EXPECT_THAT(storage.median, ElementsAre(25, 25));
    EXPECT_THAT(storage.p90, ElementsAre(29, 29));
    EXPECT_THAT(storage.max, ElementsAre(30, 30));
    EXPECT_THAT(storage.mean, ElementsAre(25, 25));
    EXPECT_THAT(summary.system_storage.max, ElementsAre(61, 61));
    EXPECT_THAT(summary.load, ElementsAre(60, 60));
    EXPECT_THAT(summary.deficit_probability, ElementsAre(0, 0.5));
    EXPECT_THAT(summary.deficit_depth, ElementsAre(0, 8));  // both buses, one of two scenarios
    EXPECT_THAT(summary.deficit_worst, ElementsAre(0, 8));
}

TEST_F(ResultsTest, FoldsEveryKindOfEntity) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    const HydroSummary& alto = summary.hydros[0];
    EXPECT_EQ(alto.initial_storage, 40);
    EXPECT_THAT(alto.min_hm3, ElementsAre(10, 10));
    EXPECT_THAT(alto.max_hm3, ElementsAre(100, 90));
    EXPECT_THAT(alto.inflow.mean, ElementsAre(8, 8));
    EXPECT_THAT(alto.spillage.mean, ElementsAre(1, 1));
    EXPECT_THAT(alto.generation.mean, ElementsAre(10, 20));
    EXPECT_THAT(alto.water_value.mean, ElementsAre(3, 3)) << "what water saves, not its dual";
    ASSERT_EQ(summary.thermals.size(), 1);
    EXPECT_EQ(summary.thermals[0].name, "Gas");
    EXPECT_THAT(summary.thermals[0].generation.max, ElementsAre(0, 5));
    ASSERT_EQ(summary.lines.size(), 1);
    EXPECT_THAT(summary.lines[0].flow.mean, ElementsAre(5, 5));
    EXPECT_THAT(summary.buses[0].load, ElementsAre(30, 30));
    EXPECT_THAT(summary.buses[0].generation,
                ElementsAre(NamedSeries("hydro", {20, 40}), NamedSeries("deficit", {0, 2})));
    EXPECT_THAT(summary.buses[1].generation,
                ElementsAre(NamedSeries("thermal", {0, 5}),
                            NamedSeries("non_controllable", {7, 7}),
                            NamedSeries("deficit", {0, 2})));
    EXPECT_THAT(summary.buses[1].deficit.max, ElementsAre(0, 4));
}

TEST_F(ResultsTest, FollowsTheCheapestAndTheDearestScenario) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_THAT(summary.singles, ElementsAre(0, 1));
    EXPECT_THAT(summary.hydros[1].storage.singles,
                ElementsAre(ElementsAre(20, 20), ElementsAre(30, 30)));
    EXPECT_THAT(summary.system_storage.singles,
                ElementsAre(ElementsAre(50, 50), ElementsAre(61, 61)));
}

TEST_F(ResultsTest, DoesWithoutDictionaries) {
    std::filesystem::remove_all(folder_.path() / "training/dictionaries");

    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_EQ(summary.hydros[0].name, "5");
    EXPECT_TRUE(summary.hydros[0].max_hm3.empty());
    EXPECT_THAT(summary.hydros[0].storage.mean, ElementsAre(30.5, 30.5));
}

/// Cuts after the first stage; the state is two storages, then two lags of two plants.
sddp::Policy policy() {
    sddp::Policy out;
    out.stages.resize(2);
    sddp::StageCuts& cuts = out.stages[0];
    cuts.slopes = sddp::CutSlopes({2, 2, 2});
    for (const auto& slopes : std::vector<std::vector<double>>{
             {-10, -1, 1, 1, 1, 1}, {-2, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}) {
        cuts.slopes.add(slopes);
        cuts.iteration.push_back(1);
        cuts.trajectory.push_back(0);
    }
    cuts.intercept = {1000, 400, 1e6};
    cuts.active = {1, 1, 0};
    return out;
}

TEST_F(ResultsTest, CostsToGoAreTheLargestActiveCutAlongOnePlant) {
    write_policy(folder_.path() / "policy", problem_, policy(), {});
    const Results results = read_results(folder_.path());

    const auto costs = costs_to_go(results, summarize_simulation(results));

    ASSERT_EQ(costs.size(), 2);
    ASSERT_EQ(costs[0].size(), 1) << "the last stage has no cuts";
    const CostToGo& alto = costs[0][0];
    EXPECT_EQ(alto.stage, 0);
    EXPECT_EQ(alto.storage_hm3.front(), 10);
    EXPECT_EQ(alto.storage_hm3.back(), 100);
    // The other plant at 25 hm³, lags 1, 2, 3, 4: 985 - 10 v and 400 - 2 v.
    EXPECT_DOUBLE_EQ(alto.cost_dollars.front(), 885);
    EXPECT_DOUBLE_EQ(alto.cost_dollars.back(), 200);
    // This one at 30.5 hm³: 705 - v and 339.
    EXPECT_DOUBLE_EQ(costs[1][0].cost_dollars.front(), 695);
    EXPECT_DOUBLE_EQ(costs[1][0].cost_dollars.back(), 605);
}

TEST_F(ResultsTest, TellsTheStateOfAPolicy) {
    write_policy(folder_.path() / "policy", problem_, policy(), {});

    const auto state = read_state(folder_.path() / "policy");

    ASSERT_EQ(state.size(), 6);
    EXPECT_EQ(state[1].hydro_id, 3);
    EXPECT_EQ(state[1].lag, 0);
    EXPECT_EQ(state[4].hydro_id, 5);
    EXPECT_EQ(state[4].lag, 2);
}

TEST_F(ResultsTest, HasNoCostsToGoWithoutAPolicy) {
    const Results results = read_results(folder_.path());

    const auto costs = costs_to_go(results, summarize_simulation(results));

    EXPECT_EQ(costs.size(), 2);
    EXPECT_TRUE(costs[0].empty());
}

TEST_F(ResultsTest, WeightsBlocksByHours) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_THAT(summary.generation,
                ElementsAre(NamedSeries("hydro", {20, 40}),
                            NamedSeries("thermal", {0, 5}),
                            NamedSeries("non_controllable", {7, 7}),
                            NamedSeries("deficit", {0, 4})));
    ASSERT_EQ(summary.buses.size(), 2);
    EXPECT_EQ(summary.buses[0].name, "North, \"upper\"");
    EXPECT_THAT(summary.buses[0].price.mean, ElementsAre(20, 40));  // (50·100 + 150·20) / 200
    EXPECT_THAT(summary.buses[1].price.mean, ElementsAre(20, 20));
}

TEST_F(ResultsTest, CostPartsAddUpToTheImmediateCost) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    std::vector<double> sum(2);
    for (const auto& [name, values] : summary.cost) {
        for (std::size_t t = 0; t < 2; ++t) {
            sum[t] += values[t];
        }
    }
    EXPECT_THAT(sum, ElementsAre(1291, 2291));
    for (const auto& [name, values] : summary.cost) {
        EXPECT_NE(name, "contract_cost");
    }
}

TEST_F(ResultsTest, GivesTheSameInLittleMemory) {
    const Results results = read_results(folder_.path());

    const SimulationSummary one_pass = summarize_simulation(results);
    const SimulationSummary many = summarize_simulation(results, 1);

    ASSERT_EQ(many.hydros.size(), one_pass.hydros.size());
    for (std::size_t i = 0; i < many.hydros.size(); ++i) {
        EXPECT_EQ(many.hydros[i].id, one_pass.hydros[i].id);
        EXPECT_EQ(many.hydros[i].storage.p10, one_pass.hydros[i].storage.p10);
        EXPECT_EQ(many.hydros[i].generation.max, one_pass.hydros[i].generation.max);
        EXPECT_EQ(many.hydros[i].water_value.singles, one_pass.hydros[i].water_value.singles);
    }
    EXPECT_EQ(many.system_storage.median, one_pass.system_storage.median);
    EXPECT_EQ(many.generation, one_pass.generation);
}

TEST_F(ResultsTest, NamesAMissingPartOfATable) {
    const auto file = folder_.path() / "simulation/metadata.json";
    io::Json metadata = io::read_json(file);
    for (auto& [key, value] : *metadata.if_object()) {
        if (key == "tables") {
            value = io::Json::Object{{"costs", io::Json::Object{{"files", 2}}}};
        }
    }
    io::write_file(file, io::to_text(metadata));

    try {
        summarize_simulation(read_results(folder_.path()));
        FAIL() << "no error";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("costs/part-00001.parquet: is missing, metadata.json says 2 files"));
    }
}

TEST_F(ResultsTest, NamesAMissingTable) {
    std::filesystem::remove(folder_.path() / "simulation/costs/part-00000.parquet");

    try {
        summarize_simulation(read_results(folder_.path()));
        FAIL() << "no error";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("simulation/costs"));
    }
}

}  // namespace
}  // namespace lockstep::formats::cobre
