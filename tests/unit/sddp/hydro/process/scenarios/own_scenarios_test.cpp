#include "lockstep/sddp/own_scenarios.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/train.hpp"

#include "support/tiny_problem.hpp"
#include "support/train_run.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Four months, a plant with memory, a bus without random load and a source without statistics.
Problem four_months() {
    auto problem = test::tiny_problem(4, 730);
    problem.calendar = monthly_calendar(2024, 1, 4, 3);
    problem.system.thermals = {test::tiny_thermal(problem, 20, 300)};
    test::add_tiny_hydro(problem, 60, 200);
    problem.system.buses[0].mean_load_mw.assign(4, 100);
    NonControllable source;
    source.bus = 0;
    source.max_generation_mw = 50;
    source.mean = source.std = std::vector<double>(4, 0);
    source.curtailment_cost = ByBlock(problem.calendar, 0);
    source.available_mw.assign(4, 25);
    source.in_service.assign(4, 1);
    source.factor = ByBlock(problem.calendar, 1);
    problem.system.sources = {source};
    ProcessData data;
    data.non_negativity = NonNegativity::none;
    data.statistics.emplace();
    data.coefficients.emplace();
    for (int stage = 0; stage < 4; ++stage) {
        data.statistics->push_back({0, stage, 60, 3});
        data.coefficients->push_back({0, stage, 1, 0.4});
    }
    data.recent = {observed(0, 2023, 12, 70)};
    problem.process = build(problem.calendar, problem.system, data);
    return problem;
}

/// Keeps what it hears.
class Ear : public Observer {
public:
    void on_scenario(const ScenarioResult& result) override { heard.push_back(result); }
    std::vector<ScenarioResult> heard;
};

std::vector<ScenarioResult> simulated(const Problem& problem, const OwnScenarios& scenarios) {
    Problems problems;
    const auto trained = test::train_alone(problem, test::with_iterations({}, 5));
    const Problem own = with_scenarios(problem, scenarios, problems);
    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    const auto ranks = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*ranks, threads};
    Ear ear;
    SimulateOptions options;
    options.scenarios = 4;
    simulate(own, trained.policy, options, team, ear);
    return ear.heard;
}

/// A value of each stage, scenario s being s more.
std::vector<ExternalValue> values(int scenarios, double first, double step) {
    std::vector<ExternalValue> rows;
    for (int s = 0; s < scenarios; ++s) {
        for (int t = 0; t < 4; ++t) {
            rows.push_back({t, s, 0, first + step * t + s});
        }
    }
    return rows;
}

TEST(OwnScenariosTest, InflowsAreMetAsTheyAre) {
    const auto heard = simulated(four_months(), {values(3, 10, 5), {}, {}});

    ASSERT_EQ(heard.size(), 4U);
    for (const auto& scenario : heard) {
        for (const auto& stage : scenario.stages) {
            EXPECT_EQ(stage.hydro.incremental_inflow_m3s[0],
                      10 + 5 * stage.stage + scenario.scenario % 3);
            EXPECT_EQ(stage.load_mw[0], 100);
        }
        EXPECT_EQ(scenario.stages[0].incoming_lags_m3s[0], 70);
        EXPECT_EQ(scenario.stages[2].incoming_lags_m3s[0], 15 + scenario.scenario % 3);
    }
}

TEST(OwnScenariosTest, LoadsAndAvailabilitiesNeedNoStatistics) {
    const auto problem = four_months();
    std::vector<ExternalValue> shares;
    for (int t = 0; t < 4; ++t) {
        shares.push_back({t, 0, 0, 0.5});
    }
    const auto plain = simulated(problem, {});
    const auto heard = simulated(problem, {{}, values(2, 80, 1), shares});

    for (const auto& scenario : heard) {
        for (const auto& stage : scenario.stages) {
            EXPECT_EQ(stage.load_mw[0], 80 + stage.stage + scenario.scenario % 2);
            EXPECT_EQ(
                stage.hydro.incremental_inflow_m3s,
                plain[at(scenario.scenario)].stages[at(stage.stage)].hydro.incremental_inflow_m3s)
                << "as the process draws them";
        }
    }
    // half of 50 MW is what the source has anyway: with the same load nothing changes
    const auto same = simulated(problem, {{}, {}, shares});
    for (std::size_t s = 0; s < same.size(); ++s) {
        EXPECT_NEAR(same[s].total_cost, plain[s].total_cost, 1e-6);
    }
}

TEST(OwnScenariosTest, TheRecordGivesAScenarioAYear) {
    const auto problem = four_months();
    std::vector<InflowObservation> record;
    for (int year = 2018; year <= 2021; ++year) {
        for (unsigned month = year == 2020 ? 3 : 1; month <= 12; ++month) {
            record.push_back(observed(0, year, month, year + static_cast<int>(month)));
        }
    }
    const auto scenarios = recorded_scenarios(problem.calendar, problem.system, record, {});

    EXPECT_EQ(scenario_count(problem.calendar, scenarios), 3) << "2020 begins in March";
    EXPECT_EQ(scenarios.inflow[0].value, 2019);
    EXPECT_EQ(scenarios.inflow[11].value, 2025);
    EXPECT_THAT(simulated(problem, scenarios)[2].stages[3].hydro.incremental_inflow_m3s,
                ElementsAre(2025));
}

TEST(OwnScenariosTest, ReportsGaps) {
    const auto problem = four_months();
    auto rows = values(2, 10, 1);
    rows.erase(rows.begin() + 4, rows.begin() + 7);
    rows.push_back({1, 2, 0, 1});
    Problems problems;

    with_scenarios(problem, {rows, {}, {}}, problems);

    EXPECT_THAT(listing(problems), HasSubstr("no value of scenario"));
}

}  // namespace
}  // namespace lockstep::sddp
