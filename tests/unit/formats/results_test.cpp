#include "lockstep/formats/cobre/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
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
    EXPECT_EQ(*results.training->find("status")->if_string(), "complete");
    EXPECT_EQ(*results.simulation->find("scenarios")->find("completed")->if_integer(), 2);
    EXPECT_EQ(results.convergence.rows(), 2);
    ASSERT_EQ(results.stages.size(), 2);
    EXPECT_EQ(results.stages[1].id, 11);
    EXPECT_EQ(results.stages[1].start, "2026-02-01");
    EXPECT_EQ(results.stages[1].hours, 200);
    EXPECT_THAT(results.stages[1].block_hours, ElementsAre(50, 150));
    EXPECT_THAT(simulated_scenarios(results), ElementsAre(0, 1));
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

TEST_F(ResultsTest, FoldsScenarios) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_EQ(summary.scenarios, 2);
    EXPECT_THAT(summary.scenario_cost, ElementsAre(2436.5, 2437.5));
    ASSERT_EQ(summary.storage.size(), 2);
    EXPECT_EQ(summary.storage[0].id, 5);
    EXPECT_EQ(summary.storage[0].name, "Alto");
    EXPECT_THAT(summary.storage[1].spread.min, ElementsAre(20, 20));
    EXPECT_THAT(summary.storage[1].spread.p10, ElementsAre(21, 21));
    EXPECT_THAT(summary.storage[1].spread.median, ElementsAre(25, 25));
    EXPECT_THAT(summary.storage[1].spread.p90, ElementsAre(29, 29));
    EXPECT_THAT(summary.storage[1].spread.max, ElementsAre(30, 30));
    EXPECT_THAT(summary.storage[1].spread.mean, ElementsAre(25, 25));
    EXPECT_THAT(summary.system_storage.max, ElementsAre(61, 61));
    EXPECT_THAT(summary.load, ElementsAre(60, 60));
    EXPECT_THAT(summary.deficit_probability, ElementsAre(0, 0.5));
}

TEST_F(ResultsTest, WeightsBlocksByHours) {
    const SimulationSummary summary = summarize_simulation(read_results(folder_.path()));

    EXPECT_THAT(summary.generation,
                ElementsAre(NamedSeries("hydro", {20, 40}),
                            NamedSeries("thermal", {0, 5}),
                            NamedSeries("non_controllable", {7, 7}),
                            NamedSeries("deficit", {0, 4})));
    ASSERT_EQ(summary.spot_price.size(), 2);
    EXPECT_EQ(summary.spot_price[0].name, "North, \"upper\"");
    EXPECT_THAT(summary.spot_price[0].spread.mean, ElementsAre(20, 40));  // (50·100 + 150·20) / 200
    EXPECT_THAT(summary.spot_price[1].spread.mean, ElementsAre(20, 20));
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

    ASSERT_EQ(many.storage.size(), one_pass.storage.size());
    for (std::size_t i = 0; i < many.storage.size(); ++i) {
        EXPECT_EQ(many.storage[i].id, one_pass.storage[i].id);
        EXPECT_EQ(many.storage[i].spread.p10, one_pass.storage[i].spread.p10);
    }
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
