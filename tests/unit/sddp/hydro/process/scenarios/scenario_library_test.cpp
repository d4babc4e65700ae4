#include "sddp/hydro/process/scenarios/scenario_library.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/process/inflow/inflow_step.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Inflow of a month: the year counts thousands.
double recorded(int year, int month) {
    return 1000 * (year - 2019) + 10 * month;
}

/// Four years of record, order-one inflows, historical trajectories.
ProcessData record(int first_year = 2020, int last_year = 2023) {
    ProcessData data;
    data.non_negativity = NonNegativity::none;
    data.history.emplace();
    for (int year = first_year; year <= last_year; ++year) {
        for (unsigned month = 1; month <= 12; ++month) {
            data.history->push_back(
                observed(0, year, month, recorded(year, static_cast<int>(month))));
        }
    }
    data.statistics.emplace();
    data.coefficients.emplace();
    for (int stage = -1; stage < 15; ++stage) {
        data.statistics->push_back({0, stage, 2000, 900});
    }
    for (int stage = 0; stage < 15; ++stage) {
        data.coefficients->push_back({0, stage, 1, 0.4});
    }
    data.training.inflow = ForwardScheme::historical;
    data.training.seed = 3;
    data.simulation = data.training;
    return data;
}

/// The inflows of a trajectory, as an engine would find them.
std::vector<double> inflows(const Process& process, int scenario) {
    std::vector<double> result;
    std::vector<double> state = process.inflow.initial_lags;
    std::vector<double> buffer;
    std::vector<double> noise(1);
    std::vector<double> z(1);
    for (int t = 0; t < std::ssize(process.inflow.stages); ++t) {
        const auto lags = recall_lags(process.inflow, t, state, buffer);
        process.training->draw(1, scenario, 50, t, noise);
        expected_inflow(process.inflow, t, lags, z);
        result.push_back(z[0] + process.inflow.stages[at(t)].scale[0] * noise[0]);
        std::vector<double> next = {result.back()};
        next.insert(next.end(), lags.begin(), lags.end() - 1);
        state = std::move(next);
    }
    return result;
}

TEST(ScenarioLibraryTest, ATrajectoryIsAStretchOfTheRecord) {
    const Process process = build(monthly_calendar(2024, 1, 3), hydro_system(1), record());
    std::set<int> years;

    for (int scenario = 0; scenario < 50; ++scenario) {
        const auto z = inflows(process, scenario);
        const int year = 2019 + static_cast<int>(std::lround(z[0] - 10)) / 1000;
        years.insert(year);
        for (int t = 0; t < 3; ++t) {
            EXPECT_NEAR(z[at(t)], recorded(year, t + 1), 1e-9);
        }
    }

    EXPECT_THAT(years, ElementsAre(2020, 2021, 2022, 2023));
}

TEST(ScenarioLibraryTest, AStretchGoesOnInTheNextYear) {
    ProcessData data = record();
    const Process process = build(monthly_calendar(2024, 11, 3), hydro_system(1), [&] {
        data.recent = {{0, day(2024, 10), day(2024, 11), 800}};
        return data;
    }());

    for (int scenario = 0; scenario < 50; ++scenario) {
        const auto z = inflows(process, scenario);
        const int year = 2019 + static_cast<int>(std::lround(z[0] - 110)) / 1000;
        EXPECT_LT(year, 2023) << "the record ends with that year";
        EXPECT_NEAR(z[2], recorded(year + 1, 1), 1e-9);
    }
}

TEST(ScenarioLibraryTest, YearsMayBeChosen) {
    ProcessData data = record();
    data.training.historical_years = {2021, 1955};
    const Process process = build(monthly_calendar(2024, 1, 2), hydro_system(1), data);

    for (int scenario = 0; scenario < 9; ++scenario) {
        EXPECT_NEAR(inflows(process, scenario)[1], recorded(2021, 2), 1e-9);
    }
}

TEST(ScenarioLibraryTest, WeeksOfAMonthHaveTheInflowOfTheMonth) {
    Calendar calendar = monthly_calendar(2024, 1, 2);
    Stage week = calendar.stages[0];
    calendar.stages[0].end = day(2024, 1, 10);
    week.start = day(2024, 1, 10);
    week.id = 2;
    calendar.stages[1].id = 3;
    calendar.stages.insert(calendar.stages.begin() + 1, week);
    const Process process = build(calendar, hydro_system(1), record());
    const auto z = inflows(process, 0);

    EXPECT_NEAR(z[0], z[1], 1e-9);
    EXPECT_NEAR(z[2], z[0] + 10, 1e-9);
}

TEST(ScenarioLibraryTest, OpeningsMayBeResidualsOfTheRecord) {
    ProcessData data = record();
    data.training = {};
    data.simulation = {};
    Calendar calendar = monthly_calendar(2024, 1, 2, 30);
    calendar.stages[1].sampling = Sampling::historical_residuals;
    const Process process = build(calendar, hydro_system(1), data);
    const InflowModel::StageModel& february = process.inflow.stages[1];

    ASSERT_THAT(process.tree.count, ElementsAre(30, 4)) << "no more than years of record";
    for (int opening = 0; opening < 4; ++opening) {
        const double shock = february.scale[0] * process.tree.noise(1, opening)[0];
        bool is_a_year = false;
        for (int year = 2020; year <= 2023; ++year) {
            const double mean = february.base[0] + february.lag[0] * recorded(year, 1);
            is_a_year = is_a_year || std::abs(mean + shock - recorded(year, 2)) < 1e-9;
        }
        EXPECT_TRUE(is_a_year) << shock;
    }
}

TEST(ScenarioLibraryTest, ReportsARecordThatIsTooShort) {
    Problems problems;
    ProcessData data = record(2020, 2020);
    data.recent = {{0, day(2024, 6), day(2024, 7), 800}};

    build_process(monthly_calendar(2024, 7, 14), hydro_system(1), data, problems);

    EXPECT_THAT(listing(problems), HasSubstr("no year of the record covers the seasons"));
}

// --- classes together ----------------------------------------------------------------------------

/// A plant and a bus, correlated by 0.8.
ProcessData joined() {
    ProcessData data;
    data.statistics = std::vector<InflowStatistics>{{0, 0, 100, 20}};
    CorrelationGroup group{NoiseClass::inflow, {0, 0}, {1, 0.8, 0.8, 1}};
    group.classes = {NoiseClass::inflow, NoiseClass::load};
    data.correlation = CorrelationModel{{{"default", {group}}}, {}};
    return data;
}

System plant_and_bus() {
    System system = hydro_system(1);
    Bus bus;
    bus.mean_load_mw = {100};
    bus.load_std_mw = {10};
    bus.is_stochastic = true;
    system.buses.push_back(bus);
    return system;
}

double correlation_of(const std::vector<std::vector<double>>& pairs) {
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (const auto& pair : pairs) {
        xx += pair[0] * pair[0];
        xy += pair[0] * pair[1];
        yy += pair[1] * pair[1];
    }
    return xy / std::sqrt(xx * yy);
}

TEST(ScenarioLibraryTest, InflowsMayGoWithLoadsInTheTree) {
    const Process process = build(monthly_calendar(2024, 1, 1, 4000), plant_and_bus(), joined());
    std::vector<std::vector<double>> pairs;

    for (int opening = 0; opening < 4000; ++opening) {
        const auto noise = process.tree.noise(0, opening);
        pairs.emplace_back(noise.begin(), noise.end());
    }

    EXPECT_NEAR(correlation_of(pairs), 0.8, 4 * 0.36 / std::sqrt(4000.0));
}

TEST(ScenarioLibraryTest, InflowsMayGoWithLoadsThatAreDrawnAnew) {
    ProcessData data = joined();
    data.training.inflow = ForwardScheme::out_of_sample;
    data.training.load = ForwardScheme::out_of_sample;
    data.training.seed = 1;
    data.simulation = data.training;
    const Process process = build(monthly_calendar(2024, 1, 1), plant_and_bus(), data);
    std::vector<std::vector<double>> pairs(4000, std::vector<double>(2));

    for (int scenario = 0; scenario < 4000; ++scenario) {
        process.training->draw(1, scenario, 4000, 0, pairs[at(scenario)]);
    }

    EXPECT_NEAR(correlation_of(pairs), 0.8, 4 * 0.36 / std::sqrt(4000.0));
}

TEST(ScenarioLibraryTest, ClassesThatGoTogetherAreDrawnAlike) {
    ProcessData data = joined();
    data.training.inflow = ForwardScheme::out_of_sample;
    data.training.seed = 1;
    Problems problems;

    build_process(monthly_calendar(2024, 1, 1), plant_and_bus(), data, problems);

    EXPECT_THAT(listing(problems), HasSubstr("needs the same scheme"));
}

// --- lags out of the state -----------------------------------------------------------------------

TEST(InflowStepTest, SlopesGoBackByTheTranspose) {
    InflowModel model;
    model.hydros = 2;
    model.lags = 3;
    model.stages.resize(1);
    model.stages[0].recall = {
        {0, 0, {0.25, 0.5}}, {0, 2, {0.75, 0.5}}, {1, 1, {1, 1}}, {2, 0, {0, 1}}};
    const std::vector<double> state = {1, 2, 3, 5, 8, 13};
    const std::vector<double> slopes = {0.3, -1, 2, 0.5, -4, 7};
    std::vector<double> buffer;

    const auto lags = recall_lags(model, 0, state, buffer);
    double forward = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        forward += slopes[i] * lags[i];
    }
    std::vector<double> back = slopes;
    std::vector<double> other;
    recall_slopes(model, 0, back, other);
    double backward = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        backward += back[i] * state[i];
    }

    EXPECT_THAT(lags, ElementsAre(6.25, 7.5, 3, 5, 0, 2));
    EXPECT_NEAR(forward, backward, 1e-12);
}

TEST(InflowStepTest, WholeSeasonsNeedNoRecall) {
    const Process process = build(monthly_calendar(2024, 1, 12), hydro_system(1), record());

    for (const auto& stage : process.inflow.stages) {
        EXPECT_TRUE(stage.recall.empty());
    }
    EXPECT_EQ(process.inflow.lags, 1);
}

}  // namespace
}  // namespace lockstep::sddp
