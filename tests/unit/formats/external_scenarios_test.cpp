#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/process.hpp"

#include "unit/formats/case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* inflow_file = "scenarios/external_inflow_scenarios.parquet";

/// The case d28 as read, and what the engine makes of it.
sddp::Process process_of(const CaseCopy& copy, Problems& problems) {
    const auto study = read_case(copy.path(), {}, problems).study;
    return sddp::build_process(study.calendar, study.system, study.process, problems);
}

TEST(ExternalScenariosTest, MomentsOfTheColumnsReplaceTheStatistics) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    Problems problems;

    const auto process = process_of(copy, problems);

    ASSERT_FALSE(problems.has_errors());
    EXPECT_EQ(process.inflow.stages[0].base[0], 45);
    EXPECT_EQ(process.inflow.stages[0].scale[0], 0);
    EXPECT_EQ(process.inflow.stages[5].base[0], 60);
    EXPECT_DOUBLE_EQ(process.inflow.stages[5].scale[0], std::sqrt(200.0));
    EXPECT_THAT(process.tree.count, ElementsAre(1, 1, 1, 1, 1, 5));
    EXPECT_THAT(process.scenarios.count, ElementsAre(1, 1, 1, 1, 1, 5));
    EXPECT_DOUBLE_EQ(process.scenarios.noise(5, 4)[0], 20 / std::sqrt(200.0));
}

TEST(ExternalScenariosTest, AStageHasNoMoreOpeningsThanColumns) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    copy.set("stages.json", "stages.5.num_openings", 9);
    copy.set("stages.json", "stages.2.num_openings", 3);
    Problems problems;

    EXPECT_THAT(process_of(copy, problems).tree.count, ElementsAre(1, 1, 1, 1, 1, 5));
}

TEST(ExternalScenariosTest, TrajectoriesHaveTheInflowsOfOneColumn) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    Problems problems;
    const auto process = process_of(copy, problems);
    std::set<int> met;

    for (int scenario = 0; scenario < 60; ++scenario) {
        std::vector<double> noise(1);
        process.simulation->draw(0, scenario, 60, 5, noise);
        const double inflow =
            process.inflow.stages[5].base[0] + process.inflow.stages[5].scale[0] * noise[0];
        met.insert(static_cast<int>(std::lround(inflow)));
        EXPECT_NEAR(inflow, std::round(inflow), 1e-12);
    }

    EXPECT_THAT(met, ElementsAre(40, 50, 60, 70, 80));
}

TEST(ExternalScenariosTest, RowsMayComeInAnyOrder) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    copy.write(inflow_file,
               {ints("stage_id", {5, 5, 3, 5, 1, 2, 5, 0, 4, 5}),
                ints("scenario_id", {4, 2, 0, 0, 0, 0, 3, 0, 0, 1}),
                ints("hydro_id", std::vector<std::int32_t>(10, 0)),
                reals("value_m3s", {80, 60, 50, 40, 55, 60, 70, 45, 65, 50})});
    Problems problems;
    Problems told;

    const auto process = process_of(copy, problems);
    const auto original = process_of(CaseCopy("d28-decomp-weekly-monthly"), told);

    EXPECT_EQ(process.inflow.stages[5].scale[0], original.inflow.stages[5].scale[0]);
    EXPECT_EQ(process.inflow.stages[3].base[0], original.inflow.stages[3].base[0]);
}

TEST(ExternalScenariosTest, LoadsTakeTheMomentsOfTheirColumns) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    copy.set(
        "config.json", "training.scenario_source.load", io::Json::Object{{"scheme", "external"}});
    copy.write("scenarios/external_load_scenarios.parquet",
               {ints("stage_id", {0, 1, 2, 3, 4, 5, 5}),
                ints("scenario_id", {0, 0, 0, 0, 0, 0, 1}),
                ints("bus_id", std::vector<std::int32_t>(7, 0)),
                reals("value_mw", {10, 20, 30, 40, 50, 60, 80})});
    Problems problems;

    const auto study = read_case(copy.path(), {}, problems).study;
    const auto process = sddp::build_process(study.calendar, study.system, study.process, problems);

    ASSERT_FALSE(problems.has_errors());
    EXPECT_EQ(study.system.buses[0].mean_load_mw[5], 70);
    EXPECT_EQ(study.system.buses[0].load_std_mw[5], 10);
    EXPECT_THAT(process.layout.buses, ElementsAre(0));
    EXPECT_THAT(process.tree.count, ElementsAre(1, 1, 1, 1, 1, 2));
}

/// What reading and building have to say.
std::vector<std::string> mistakes(const CaseCopy& copy) {
    Problems found;
    process_of(copy, found);
    Problems problems;
    add_located(found, problems);
    std::vector<std::string> texts;
    for (const Problem& problem : problems.all()) {
        texts.push_back(to_string(problem));
    }
    return texts;
}

TEST(ExternalScenariosTest, StagesMayOverlapAsWeeksAndAMonthDo) {
    EXPECT_THAT(mistakes(CaseCopy("d28-decomp-weekly-monthly")),
                Contains(HasSubstr("starts before stage 4 ends: the days of both count twice")));
}

TEST(ExternalScenariosTest, ReportsWhatIsMissing) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    copy.write(inflow_file,
               {ints("stage_id", {0, 1, 2, 3, 4}),
                ints("scenario_id", {0, 0, 0, 0, 0}),
                ints("hydro_id", {0, 0, 0, 0, 0}),
                reals("value_m3s", {1, 2, 3, 4, 5})});

    EXPECT_THAT(mistakes(copy),
                Contains(HasSubstr("external_inflow_scenarios.parquet (stage 5): the scheme "
                                   "external needs a scenario of every stage")));
}

TEST(ExternalScenariosTest, ReportsGapsAndDoubles) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    copy.write(inflow_file,
               {ints("stage_id", {0, 1, 2, 3, 4, 5, 5, 5}),
                ints("scenario_id", {0, 0, 0, 0, 0, 0, 7, 7}),
                ints("hydro_id", std::vector<std::int32_t>(8, 0)),
                reals("value_m3s", std::vector<double>(8, 1))});

    const auto found = mistakes(copy);

    EXPECT_THAT(found, Contains(HasSubstr("stage 5, scenario 7, hydro 0 has another row")));
    EXPECT_THAT(found, Contains(HasSubstr("2 scenarios, the largest scenario_id is 7")));
}

TEST(ExternalScenariosTest, ReportsScenariosOfNoDeviation) {
    const CaseCopy copy("d28-decomp-weekly-monthly");
    // simulated only: the statistics stay, and with them a deviation of 0
    copy.set("config.json", "training.scenario_source", io::Json::Object{});
    copy.set("config.json",
             "simulation.scenario_source",
             io::Json::Object{{"seed", 1}, {"inflow", io::Json::Object{{"scheme", "external"}}}});
    copy.write("scenarios/inflow_seasonal_stats.parquet",
               {ints("hydro_id", std::vector<std::int32_t>(6, 0)),
                ints("stage_id", {0, 1, 2, 3, 4, 5}),
                reals("mean_m3s", std::vector<double>(6, 60)),
                reals("std_m3s", std::vector<double>(6, 0))});

    EXPECT_THAT(mistakes(copy),
                Contains(HasSubstr("the scenarios have 45, the model 60 without any deviation")));
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
