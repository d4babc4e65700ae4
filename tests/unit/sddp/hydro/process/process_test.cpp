#include "lockstep/sddp/process.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The history of the case d26 and what its stages start from.
ProcessData d26() {
    ProcessData data;
    data.history = read_history("d26_history.txt");
    data.recent = {observed(0, 2023, 12, 180), observed(0, 2023, 11, 200)};
    data.estimation.max_order = 3;
    return data;
}

Calendar a_year(int openings = 1) {
    return monthly_calendar(2024, 1, 12, openings);
}

void add_statistics(ProcessData& data) {
    data.statistics.emplace();
    for (int stage = 0; stage < 12; ++stage) {
        data.statistics->push_back({0, stage, 100, 10});
    }
}

void add_coefficients(ProcessData& data) {
    data.coefficients.emplace();
    for (int stage = 0; stage < 12; ++stage) {
        data.coefficients->push_back({0, stage, 1, 0.5});
    }
}

// Expected orders and ratios: the estimation report of Cobre for d26.
TEST(ProcessTest, EstimatesD26FromItsHistory) {
    const Process process = build(a_year(), hydro_system(1), d26());

    ASSERT_EQ(process.fit.seasons.size(), 12U);
    std::vector<int> orders;
    for (const FitReport::Season& season : process.fit.seasons) {
        orders.push_back(season.order);
    }
    EXPECT_THAT(orders, ElementsAre(1, 2, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1));
    EXPECT_NEAR(process.fit.seasons[0].residual_ratio, 0.5334, 5e-5);
    EXPECT_NEAR(process.fit.seasons[1].residual_ratio, 0.3756, 5e-5);
    EXPECT_NEAR(process.fit.seasons[2].residual_ratio, 0.3393, 5e-5);
    EXPECT_NEAR(process.fit.seasons[3].residual_ratio, 0.2996, 5e-5);
    EXPECT_EQ(process.inflow.lags, 2);
    EXPECT_THAT(process.inflow.initial_lags, ElementsAre(180, 200));
    EXPECT_TRUE(process.provenance.white_noise_fallbacks.empty());
}

TEST(ProcessTest, ResolvedTablesReproduceTheModel) {
    const Process fitted = build(a_year(3), hydro_system(1), d26());
    ProcessData copy = fitted.resolved;
    copy.history.reset();

    const Process again = build(a_year(3), hydro_system(1), copy);

    EXPECT_EQ(again.provenance.estimation_path, "user_provided_no_history");
    for (std::size_t t = 0; t < 12; ++t) {
        EXPECT_EQ(again.inflow.stages[t].base, fitted.inflow.stages[t].base);
        EXPECT_EQ(again.inflow.stages[t].scale, fitted.inflow.stages[t].scale);
        EXPECT_EQ(again.inflow.stages[t].lag, fitted.inflow.stages[t].lag);
    }
    EXPECT_EQ(again.tree.values, fitted.tree.values);
}

TEST(ProcessTest, FilesDecideWhatIsEstimated) {
    struct Expectation {
        bool history;
        bool statistics;
        bool coefficients;
        const char* path;
        const char* statistics_source;
        const char* coefficients_source;
    };
    for (const Expectation& each :
         {Expectation{false, false, false, "deterministic", "n/a", "n/a"},
          Expectation{false, false, true, "deterministic", "n/a", "n/a"},
          Expectation{false, true, false, "user_stats_white_noise", "user_file", "n/a"},
          Expectation{false, true, true, "user_provided_no_history", "user_file", "user_file"},
          Expectation{true, false, false, "full_estimation", "estimated", "estimated"},
          Expectation{true, false, true, "user_ar_history_stats", "estimated", "user_file"},
          Expectation{true, true, false, "partial_estimation", "user_file", "estimated"},
          Expectation{true, true, true, "user_provided_all", "user_file", "user_file"}}) {
        ProcessData data = d26();
        if (!each.history) {
            data.history.reset();
        }
        if (each.statistics) {
            add_statistics(data);
        }
        if (each.coefficients) {
            add_coefficients(data);
        }

        const Process process = build(a_year(), hydro_system(1), data);

        EXPECT_EQ(process.provenance.estimation_path, each.path);
        EXPECT_EQ(process.provenance.statistics_source, each.statistics_source) << each.path;
        EXPECT_EQ(process.provenance.coefficients_source, each.coefficients_source) << each.path;
        const bool estimates = each.history && !(each.statistics && each.coefficients);
        EXPECT_EQ(process.provenance.correlation_source, estimates ? "estimated" : "n/a");
        EXPECT_EQ(process.resolved.correlation.has_value(), estimates);
        EXPECT_EQ(process.fit.seasons.empty(), !estimates);
    }
}

TEST(ProcessTest, WithoutAnInflowModelEverythingIsDry) {
    const Process process = build(a_year(), hydro_system(2), {});

    EXPECT_EQ(process.inflow.lags, 0);
    for (const InflowModel::StageModel& stage : process.inflow.stages) {
        EXPECT_THAT(stage.base, ElementsAre(0, 0));
        EXPECT_THAT(stage.scale, ElementsAre(0, 0));
    }
}

TEST(ProcessTest, PartialEstimationKeepsTheGivenStatistics) {
    ProcessData data = d26();
    add_statistics(data);

    const Process process = build(a_year(), hydro_system(1), data);

    // equal deviations: the coefficients are the standardised ones
    EXPECT_NEAR(process.inflow.stages[3].lag[0], 0.95407171, 5e-9);
    EXPECT_NEAR(process.inflow.stages[3].scale[0], 10 * 0.2996, 5e-4);
}

TEST(ProcessTest, AGivenCorrelationIsKept) {
    ProcessData data = d26();
    data.correlation = CorrelationModel{{{"mine", {{NoiseClass::inflow, {0}, {1}}}}}, {}};

    const Process process = build(a_year(), hydro_system(1), data);

    EXPECT_EQ(process.provenance.correlation_source, "user_file");
    EXPECT_EQ(process.resolved.correlation->profiles[0].name, "mine");
}

TEST(ProcessTest, WhiteNoiseFallbacksAreNamed) {
    ProcessData data = d26();
    data.estimation.max_coefficient_magnitude = 1e-3;

    const Process process = build(a_year(), hydro_system(1), data);

    EXPECT_THAT(process.provenance.white_noise_fallbacks, ElementsAre("plant 0"));
    EXPECT_EQ(process.inflow.lags, 0);
}

TEST(ProcessTest, NoiseListsPlantsThenLoadsThenSources) {
    System system = hydro_system(2);
    system.buses.resize(3);
    system.buses[2].is_stochastic = true;
    system.sources.resize(2);
    system.sources[0].is_stochastic = true;

    const Process process = build(a_year(4), system, {});

    EXPECT_EQ(process.layout.hydros, 2);
    EXPECT_THAT(process.layout.buses, ElementsAre(2));
    EXPECT_THAT(process.layout.sources, ElementsAre(0));
    EXPECT_EQ(process.tree.dimension, 4);
    EXPECT_THAT(process.tree.count, Each(4));
    EXPECT_EQ(process.tree.values[11].size(), 16U);
}

// Cobre 0.18.0 orders plants by the date of entry, random loads and sources by their ids.
TEST(ProcessTest, LoadsAndSourcesAreOrderedByTheirIds) {
    System system = hydro_system(1);
    for (const int id : {7, 3, 5}) {
        system.buses.emplace_back().id = id;
        system.buses.back().is_stochastic = id != 3;
        system.sources.emplace_back().id = id;
        system.sources.back().is_stochastic = true;
    }

    const Process process = build(a_year(4), system, {});

    EXPECT_THAT(process.layout.buses, ElementsAre(2, 0));
    EXPECT_THAT(process.layout.sources, ElementsAre(1, 2, 0));
}

TEST(ProcessTest, ATreeFromTheFileIsUsedAsItIs) {
    ProcessData data;
    add_statistics(data);
    data.training.openings_from_file = true;
    for (int stage = 0; stage < 12; ++stage) {
        data.openings.push_back({stage, 0, 0, stage + 0.5});
    }

    const Process process = build(a_year(), hydro_system(1), data);

    EXPECT_EQ(process.provenance.tree_source, "user_file");
    EXPECT_EQ(process.tree.noise(7, 0)[0], 7.5);
    std::vector<double> noise(1);
    process.training->draw(1, 0, 1, 7, noise);
    EXPECT_EQ(noise[0], 7.5);
}

TEST(ProcessTest, SamplersOutliveTheProcess) {
    std::shared_ptr<const TrajectorySampler> sampler;
    std::vector<double> expected(1);
    {
        Process process = build(a_year(5), hydro_system(1), {});
        process.simulation->draw(0, 3, 4, 2, expected);
        sampler = process.simulation;
    }
    std::vector<double> noise(1);

    sampler->draw(0, 3, 4, 2, noise);

    EXPECT_EQ(noise, expected);
}

TEST(ProcessTest, BuildingTwiceGivesTheSameBits) {
    const Process one = build(a_year(7), hydro_system(1), d26());
    const Process two = build(a_year(7), hydro_system(1), d26());

    EXPECT_EQ(one.tree.values, two.tree.values);
    EXPECT_EQ(one.inflow.stages[5].base, two.inflow.stages[5].base);
}

TEST(ProcessTest, TheTreeSeedCountsByAbsoluteValue) {
    ProcessData data;
    data.tree_seed = -42;

    EXPECT_EQ(build(a_year(2), hydro_system(1), data).tree.values,
              build(a_year(2), hydro_system(1), {}).tree.values);
}

TEST(ProcessTest, ReportsStagesWithoutOpenings) {
    Calendar calendar = a_year();
    calendar.stages[3].openings = 0;
    Problems problems;

    build_process(calendar, hydro_system(1), {}, problems);

    ASSERT_EQ(problems.all().size(), 1U);
    EXPECT_EQ(problems.all()[0].entity, "stage 3");
    EXPECT_THAT(problems.all()[0].message, HasSubstr("the number of openings is 0"));
}

TEST(ProcessTest, ReportsAllMistakesTogether) {
    ProcessData data;
    add_statistics(data);
    add_coefficients(data);
    data.training.inflow = ForwardScheme::out_of_sample;
    Problems problems;

    build_process(a_year(), hydro_system(1), data, problems);

    EXPECT_EQ(problems.error_count(), 2U) << listing(problems);
}

TEST(ProcessTest, ASystemWithoutPlantsIsFine) {
    ProcessData data;
    data.history.emplace();

    const Process process = build(a_year(2), System{}, data);

    EXPECT_EQ(process.tree.dimension, 0);
    process.training->draw(1, 0, 1, 0, {});
}

}  // namespace
}  // namespace lockstep::sddp
