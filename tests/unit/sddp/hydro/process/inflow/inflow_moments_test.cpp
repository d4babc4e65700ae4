#include "sddp/hydro/process/inflow/inflow_moments.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int years = 2;

/// Order 1 in every month of two years: mean 100, deviation 20; December 2023 was `before`.
ProcessData order_one(double phi, double before) {
    ProcessData data;
    data.statistics.emplace();
    data.coefficients.emplace();
    for (int stage = 0; stage < 12 * years; ++stage) {
        data.statistics->push_back({0, stage, 100, 20});
        data.coefficients->push_back({0, stage, 1, phi});
    }
    data.recent = {observed(0, 2023, 12, before)};
    return data;
}

std::vector<Problem> told(const ProcessData& data) {
    Problems problems;
    build_process(monthly_calendar(2024, 1, 12 * years), hydro_system(1), data, problems);
    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    return problems.all();
}

// Of an autoregression seen from its last value: mean 100 + φ^t (z - 100), variance 20² (1 - φ^2t).
TEST(InflowMomentsTest, AreTheClosedFormOfOrderOne) {
    const double phi = 0.8;

    const Process process =
        build(monthly_calendar(2024, 1, 12 * years), hydro_system(1), order_one(phi, 150));

    ASSERT_THAT(process.moments, SizeIs(12 * years));
    double power = 1;
    for (const InflowMomentCheck& check : process.moments) {
        power *= phi;
        EXPECT_NEAR(check.model_mean_m3s, 100 + power * 50, 1e-9);
        EXPECT_NEAR(check.model_std_m3s, 20 * std::sqrt(1 - power * power), 1e-9);
        EXPECT_EQ(check.observed_mean_m3s, 100);
        EXPECT_EQ(check.record_years, 0);
    }
}

// A stage of two months of lags: z_2 = ψ1 z_1 + ψ2 z_0, with z_1 = φ z_0 + e.
TEST(InflowMomentsTest, CarryTheCovarianceOfSeveralLags) {
    ProcessData data = order_one(0.5, 100);
    for (int stage = 0; stage < 12 * years; ++stage) {
        data.coefficients->push_back({0, stage, 2, 0.3});
    }
    data.recent.push_back(observed(0, 2023, 11, 100));

    const Process process =
        build(monthly_calendar(2024, 1, 12 * years), hydro_system(1), std::move(data));

    const double e = process.inflow.stages[0].scale[0];
    EXPECT_NEAR(process.moments[0].model_std_m3s, e, 1e-12);
    EXPECT_NEAR(process.moments[1].model_std_m3s, e * std::sqrt(1 + 0.25), 1e-12);
    const double third = 1 + 0.25 + (0.25 + 0.3) * (0.25 + 0.3);
    EXPECT_NEAR(process.moments[2].model_std_m3s, e * std::sqrt(third), 1e-12);
    EXPECT_NEAR(process.moments.back().model_std_m3s, 20, 0.1) << "it forgets where it began";
}

TEST(InflowMomentsTest, SayNothingOfAProcessThatStaysWithItsStatistics) {
    EXPECT_THAT(told(order_one(0.8, 130)), SizeIs(0));
}

TEST(InflowMomentsTest, TellOfAMeanFarAway) {
    ProcessData data = order_one(0.8, 130);
    data.statistics->push_back({0, -1, 100, 1e-5});

    const auto problems = told(data);

    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_EQ(problems[0].kind, ProblemKind::model_quality);
    EXPECT_EQ(problems[0].entity, "hydro 0, stage 0");
    EXPECT_THAT(problems[0].message, HasSubstr("the mean 4.8e+07"));
    EXPECT_THAT(problems[0].message, HasSubstr("24 stages of 1 plants"));
}

TEST(InflowMomentsTest, TellOfADeviationUnlikeTheRecord) {
    ProcessData data;
    data.history.emplace();
    for (int year = 2000; year < 2020; ++year) {
        for (unsigned month = 1; month <= 12; ++month) {
            data.history->push_back(observed(0, year, month, 100 + (year % 2 == 0 ? 20 : -20)));
        }
    }
    data.statistics.emplace();
    data.coefficients.emplace();
    for (int stage = 0; stage < 12 * years; ++stage) {
        data.statistics->push_back({0, stage, 100, stage == 5 ? 60.0 : stage == 9 ? 5.0 : 20.0});
    }

    const auto problems = told(data);

    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_EQ(problems[0].entity, "hydro 0, stage 9");
    EXPECT_THAT(problems[0].message, HasSubstr("the record 100 and 20; 2 stages of 1 plants"));
}

}  // namespace
}  // namespace lockstep::sddp
