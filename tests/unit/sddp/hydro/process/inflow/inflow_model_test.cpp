#include "sddp/hydro/process/inflow/inflow_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/inflow/inflow_model_closure.hpp"
#include "sddp/hydro/process/noise/cobre_random.hpp"
#include "sddp/hydro/process/seasons/season_rings.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// --- closure -------------------------------------------------------------------------------------

/// The same coefficients in all months of a year.
PeriodicCoefficients everywhere(const std::vector<double>& coefficients) {
    const Calendar year = monthly_calendar(2024, 1, 12);
    const SeasonRings months(year);
    PeriodicCoefficients result;
    for (std::size_t month = 0; month < months.size(); ++month) {
        result.seasons.push_back(coefficients);
        result.names.push_back(months.name(month));
    }
    return result;
}

std::vector<double> ratios(const PeriodicCoefficients& coefficients) {
    std::string why_not;
    const auto closure = periodic_closure(coefficients, why_not);
    EXPECT_TRUE(closure) << why_not;
    return closure.value_or(Closure{}).residual_ratio;
}

TEST(InflowModelTest, WhiteNoiseLeavesAllVariance) {
    EXPECT_THAT(ratios(everywhere({})), Each(1));
}

TEST(InflowModelTest, OrderOneLeavesOneMinusPhiSquared) {
    for (const double phi : {0.3, -0.8, 0.99}) {
        EXPECT_THAT(ratios(everywhere({phi})),
                    Each(::testing::DoubleNear(std::sqrt(1 - phi * phi), 1e-12)));
    }
}

// ρ1 = φ1/(1 - φ2), ρ2 = φ1 ρ1 + φ2
TEST(InflowModelTest, OrderTwoHasTheStationaryClosedForm) {
    const double rho1 = 0.5 / (1 - 0.3);
    const double rho2 = 0.5 * rho1 + 0.3;

    EXPECT_THAT(ratios(everywhere({0.5, 0.3})),
                Each(::testing::DoubleNear(std::sqrt(1 - 0.5 * rho1 - 0.3 * rho2), 1e-12)));
}

TEST(InflowModelTest, EachMonthHasItsOwnRatio) {
    PeriodicCoefficients coefficients = everywhere({0.6});
    coefficients.seasons[3] = {};
    coefficients.seasons[4] = {0.9};
    coefficients.seasons[5] = {0.2, 0.5};

    const auto found = ratios(coefficients);

    EXPECT_EQ(found[3], 1);
    EXPECT_NEAR(found[4], std::sqrt(1 - 0.81), 1e-14);
    // ρ_5(1) = 0.2 + 0.5·ρ_4(1), ρ_5(2) = 0.2·ρ_4(1) + 0.5
    EXPECT_NEAR(found[5], std::sqrt(1 - 0.2 * (0.2 + 0.45) - 0.5 * (0.18 + 0.5)), 1e-14);
}

// Expected: ratios that another program found for plants of the Brazilian system (data/README.md).
TEST(InflowModelTest, RatiosOfTheBrazilianPlantsAgree) {
    std::map<int, PeriodicCoefficients> coefficients;
    std::map<int, std::array<double, 12>> expected;
    for (const std::vector<double>& row : read_numbers("pmo_par.txt")) {
        const auto month = static_cast<std::size_t>(row[1]) - 1;
        PeriodicCoefficients& of_plant =
            coefficients.try_emplace(static_cast<int>(row[0]), everywhere({})).first->second;
        of_plant.seasons[month] = std::vector<double>(row.begin() + 4, row.end());
        expected[static_cast<int>(row[0])][month] = row[2];
    }
    ASSERT_EQ(coefficients.size(), 15U);
    for (const auto& [hydro, by_month] : coefficients) {
        const auto found = ratios(by_month);
        for (std::size_t month = 0; month < 12; ++month) {
            EXPECT_NEAR(found[month], expected[hydro][month], 1e-9) << hydro << ", " << month;
        }
    }
}

TEST(InflowModelTest, HasNoClosureWhereAVarianceIsNegative) {
    std::string why_not;
    EXPECT_FALSE(periodic_closure(everywhere({1.3}), why_not));
    EXPECT_THAT(why_not, HasSubstr("January would have the residual variance -0.69"));
    // a year shrinks, but February would vary more than its total
    PeriodicCoefficients uneven = everywhere({0.5});
    uneven.seasons[1] = {1.2};
    EXPECT_FALSE(periodic_closure(uneven, why_not));
    EXPECT_THAT(why_not, HasSubstr("February would have the residual variance -0.4"));
}

TEST(InflowModelTest, DoubtsTheUnitRoot) {
    PeriodicCoefficients at_root = everywhere({0.5});
    at_root.seasons[3] = {1.0};
    std::string why_not;

    const auto one_month = periodic_closure(at_root, why_not);
    const auto all_months = periodic_closure(everywhere({1.0}), why_not);

    ASSERT_TRUE(one_month && all_months) << why_not;
    EXPECT_EQ(one_month->residual_ratio[3], 0);
    EXPECT_THAT(one_month->doubt, HasSubstr("April would have no residual variance"));
    EXPECT_THAT(all_months->doubt, HasSubstr("does not die out"));
    EXPECT_TRUE(periodic_closure(everywhere({0.5}), why_not)->doubt.empty());
}

// --- models --------------------------------------------------------------------------------------

constexpr double mean_of_month(int month) {
    return 100 + 10 * month;
}
constexpr double std_of_month(int month) {
    return 20 + month;
}

/// A year of order-1 inflows, mean 100 + 10·month, deviation 20 + month; December 2023 was 200.
ProcessData order_one(double phi) {
    ProcessData data;
    data.statistics.emplace();
    data.coefficients.emplace();
    for (int month = 0; month < 12; ++month) {
        data.statistics->push_back({0, month, mean_of_month(month), std_of_month(month)});
        data.coefficients->push_back({0, month, 1, phi});
    }
    data.recent = {observed(0, 2023, 12, 200)};
    return data;
}

InflowModel model_of(const Calendar& calendar, const ProcessData& data, int hydros = 1) {
    Problems problems;
    InflowModel model =
        build_inflow_model(calendar, hydro_system(hydros), data, CoefficientSource::given, problems)
            .model;
    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    return model;
}

/// What a study of January and February finds for the month before it.
double december_ratio(const ProcessData& data) {
    Problems problems;
    return build_inflow_model(monthly_calendar(2024, 1, 2),
                              hydro_system(1),
                              data,
                              CoefficientSource::given,
                              problems)
        .residual_ratio[0][11];
}

TEST(InflowModelTest, CoefficientsAreInOriginalUnits) {
    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), order_one(0.6));

    ASSERT_EQ(model.lags, 1);
    const InflowModel::StageModel& march = model.stages[2];
    EXPECT_NEAR(march.lag[0], 0.6 * 22 / 21, 1e-15);
    EXPECT_NEAR(march.base[0], 120 - 0.6 * 22 / 21 * 110, 1e-12);
    EXPECT_NEAR(march.scale[0], 22 * 0.8, 1e-12);
    EXPECT_EQ(march.order[0], 1);
    EXPECT_THAT(model.initial_lags, ElementsAre(200));
}

TEST(InflowModelTest, WithoutPastRowsALagTakesTheStatisticsOfItsSeason) {
    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), order_one(0.6));

    EXPECT_NEAR(model.stages[0].lag[0], 0.6 * 20 / 31, 1e-15) << "December is stage 11";
}

TEST(InflowModelTest, APastRowBeatsTheSeason) {
    ProcessData data = order_one(0.6);
    data.statistics->push_back({0, -1, 50, 40});

    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), data);

    EXPECT_NEAR(model.stages[0].lag[0], 0.6 * 20 / 40, 1e-15);
    EXPECT_NEAR(model.stages[0].base[0], 100 - 0.3 * 50, 1e-12);
}

// Case 1-845 of tools/peer had ids 0, 4 and 5: its third stage drew 33.7054 m³/s here and 36.0549
// with Cobre 0.18.0, which looks for stage 3 and drops the term. By id less lag ours would take
// January here.
TEST(InflowModelTest, LagsAreMonthsWhereIdsLeaveGaps) {
    const std::array ids = {0, 1, 3};
    Calendar calendar = monthly_calendar(2024, 1, 3);
    ProcessData data = order_one(0.0);
    data.statistics->clear();
    for (int month = 0; month < 3; ++month) {
        calendar.stages[at(month)].id = ids.at(at(month));
        data.statistics->push_back(
            {0, ids.at(at(month)), mean_of_month(month), std_of_month(month)});
    }
    data.coefficients = {{0, 3, 1, 0.5}, {0, 3, 2, 0.3}};
    data.recent.push_back(observed(0, 2023, 11, 100));

    const InflowModel model = model_of(calendar, data);

    const double february = 0.5 * 22 / 21;
    const double january = 0.3 * 22 / 20;
    EXPECT_THAT(model.stages[2].lag, ElementsAre(february, january));
    EXPECT_NEAR(model.stages[2].base[0], 120 - february * 110 - january * 100, 1e-12);
}

// Found with case 1-1802 of tools/peer: the closure read no deviation of a fitted month outside the
// study a year before itself. Its inflow of stage 8 was 9.59213 m³/s, with Cobre 0.18.0 9.61359.
TEST(InflowModelTest, AMonthBeforeTheStudyRemembersItselfAYearBefore) {
    ProcessData data = order_one(0.5);
    data.statistics->push_back({0, -1, 100, 20});
    data.coefficients->resize(1);
    data.coefficients->push_back({0, -1, 12, 0.6});

    const InflowModel model = model_of(monthly_calendar(2024, 1, 2), data);

    EXPECT_NEAR(model.stages[0].scale[0], std_of_month(0) * std::sqrt(1 - 0.25), 1e-12);
    EXPECT_NEAR(december_ratio(data), std::sqrt(1 - 0.36), 1e-12);
}

TEST(InflowModelTest, ALagWithoutStatisticsHasNoEffect) {
    const InflowModel model = model_of(monthly_calendar(2024, 1, 6), order_one(0.6));

    EXPECT_EQ(model.stages[0].lag[0], 0);
    EXPECT_EQ(model.stages[0].base[0], 100);
}

// r² of January is 1 - φ_2(1 + φ_Dec ρ)…: with φ*_Jan = (0.5, 0.3) and December's ρ(1) = 0.6,
// ρ_Jan(1) = 0.5 + 0.3·0.6, ρ_Jan(2) = 0.5·0.6 + 0.3.
TEST(InflowModelTest, RowsBeforeTheStudyEnterTheClosure) {
    ProcessData data = order_one(0.5);
    data.statistics->push_back({0, -1, 100, 20});
    data.statistics->push_back({0, -2, 100, 20});
    data.coefficients->resize(1);
    data.coefficients->push_back({0, 0, 2, 0.3});
    data.coefficients->push_back({0, -1, 1, 0.6});
    data.recent.push_back(observed(0, 2023, 11, 100));

    const InflowModel model = model_of(monthly_calendar(2024, 1, 2), data);

    const double variance = 1 - 0.5 * (0.5 + 0.3 * 0.6) - 0.3 * (0.5 * 0.6 + 0.3);
    EXPECT_NEAR(model.stages[0].scale[0], std_of_month(0) * std::sqrt(variance), 1e-12);
}

TEST(InflowModelTest, PlantsOfDifferentOrderShareTheStride) {
    ProcessData data = order_one(0.5);
    for (int month = 0; month < 12; ++month) {
        data.statistics->push_back({1, month, 10, 1});
    }
    data.coefficients->push_back({1, 5, 3, 0.2});

    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), data, 2);

    EXPECT_EQ(model.lags, 3);
    EXPECT_THAT(model.stages[5].order, ElementsAre(1, 3));
    EXPECT_THAT(model.stages[5].lag, ElementsAre(0.5 * 25 / 24, 0, 0, 0, 0, 0.2));
    EXPECT_EQ(model.initial_lags.size(), 6U);
}

TEST(InflowModelTest, AStageWithoutStatisticsIsDry) {
    ProcessData data = order_one(0.5);

    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), data, 2);

    EXPECT_EQ(model.stages[4].base[1], 0);
    EXPECT_EQ(model.stages[4].scale[1], 0);
}

TEST(InflowModelTest, TheYearlyMeanSpreadsOverTwelveLags) {
    ProcessData data = order_one(0.5);
    data.annual = std::vector<AnnualComponent>{{0, 3, 0.24, 150, 10}};
    data.history.emplace();
    for (unsigned month = 1; month <= 12; ++month) {
        data.history->push_back(observed(0, 2023, month, month));
    }

    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), data);

    ASSERT_EQ(model.lags, 12);
    const double share = 0.24 * 23 / 10 / 12;
    EXPECT_NEAR(model.stages[3].lag[0], 0.5 * 23 / 22 + share, 1e-15);
    EXPECT_NEAR(model.stages[3].lag[11], share, 1e-15);
    double base = mean_of_month(3) - 0.5 * 23 / 22 * mean_of_month(2);
    for (int month = 0; month < 12; ++month) {
        base -= share * mean_of_month(month);
    }
    EXPECT_NEAR(model.stages[3].base[0], base, 1e-11);
    EXPECT_EQ(model.initial_lags[0], 200) << "recent observations shadow the history";
    EXPECT_EQ(model.initial_lags[11], 1);
}

// Expected: the cost of the case d19-multi-hydro-par of Cobre 0.18.0 at turbined_cost 0. Its water
// is all turbined and its thermal plant covers the rest at 50 $/MWh, so the cost tells the sum of
// the inflows, and with it the residual ratio of coefficients that only three months of the year
// have.
TEST(InflowModelTest, InflowsOfD19GiveItsPublishedCost) {
    const std::array<double, 2> mean = {40, 25};
    const std::array<std::array<double, 2>, 2> phi = {{{0.5, 0.3}, {0.4, 0.2}}};
    const std::array<double, 2> productivity = {1, 0.8};
    ProcessData data;
    data.statistics.emplace();
    data.coefficients.emplace();
    for (int hydro = 0; hydro < 2; ++hydro) {
        const auto h = static_cast<std::size_t>(hydro);
        for (int stage = -2; stage < 3; ++stage) {
            data.statistics->push_back({hydro, stage, mean[h], 0.001});
        }
        for (int stage = 0; stage < 3; ++stage) {
            data.coefficients->push_back({hydro, stage, 1, phi[h][0]});
            data.coefficients->push_back({hydro, stage, 2, phi[h][1]});
        }
    }
    data.recent = {observed(0, 2023, 12, 50),
                   observed(0, 2023, 11, 45),
                   observed(1, 2023, 12, 30),
                   observed(1, 2023, 11, 28)};

    const Process process = build(monthly_calendar(2024, 1, 3), hydro_system(2), data);

    double hydro_mw = 100 / (730 * hm3_per_m3s_hour) + 0.8 * 75 / (730 * hm3_per_m3s_hour);
    std::vector<double> lag = process.inflow.initial_lags;
    for (int t = 0; t < 3; ++t) {
        const InflowModel::StageModel& stage = process.inflow.stages[at(t)];
        std::array<double, 2> z{};
        for (std::size_t h = 0; h < 2; ++h) {
            z[h] = stage.base[h] + stage.lag[h] * lag[h] + stage.lag[2 + h] * lag[2 + h] +
                   stage.scale[h] * process.tree.noise(t, 0)[h];
            hydro_mw += productivity[h] * z[h];
        }
        lag = {z[0], z[1], lag[0], lag[1]};
    }
    EXPECT_NEAR(50 * 730 * (300 - hydro_mw), 1332484.6165, 5e-5);
}

TEST(InflowModelTest, SimulatedInflowsHaveTheGivenMoments) {
    constexpr int years = 40000;
    ProcessData data = order_one(0.7);
    data.coefficients->push_back({0, 6, 2, -0.2});
    data.recent.push_back(observed(0, 2023, 11, 200));
    const InflowModel model = model_of(monthly_calendar(2024, 1, 12), data);
    cobre::Generator stream(1);
    std::array<double, 12> sum{};
    std::array<double, 12> square{};

    std::vector<double> lag = model.initial_lags;
    for (int year = -10; year < years; ++year) {
        for (std::size_t month = 0; month < 12; ++month) {
            const InflowModel::StageModel& stage = model.stages[month];
            const double z = stage.base[0] + stage.lag[0] * lag[0] + stage.lag[1] * lag[1] +
                             stage.scale[0] * stream.normal();
            lag = {z, lag[0]};
            if (year >= 0) {
                sum[month] += z / years;
                square[month] += z * z / years;
            }
        }
    }

    for (int month = 0; month < 12; ++month) {
        const auto m = static_cast<std::size_t>(month);
        const double deviation = std::sqrt(square[m] - sum[m] * sum[m]);
        const double error =
            std_of_month(month) / std::sqrt(1.0 * years);  // years nearly independent
        EXPECT_NEAR(sum[m], mean_of_month(month), 5.5 * error);
        EXPECT_NEAR(deviation, std_of_month(month), 5.5 * error);
    }
}

// --- mistakes ------------------------------------------------------------------------------------

std::vector<Problem> problems_of(const Calendar& calendar, const ProcessData& data) {
    Problems problems;
    build_inflow_model(calendar, hydro_system(1), data, CoefficientSource::given, problems);
    return problems.all();
}

Problem only_problem(const Calendar& calendar, const ProcessData& data) {
    const auto problems = problems_of(calendar, data);
    EXPECT_EQ(problems.size(), 1U);
    return problems.empty() ? Problem{} : problems.front();
}

Problem only_problem_after(const std::function<void(Calendar&, ProcessData&)>& spoil) {
    Calendar calendar = monthly_calendar(2024, 1, 12);
    ProcessData data = order_one(0.5);
    spoil(calendar, data);
    return only_problem(calendar, data);
}

TEST(InflowModelTest, RefusesMemoryWithoutASeasonMap) {
    const Problem problem = only_problem_after(
        [](Calendar& calendar, ProcessData&) { calendar.cycle = SeasonCycle::none; });

    EXPECT_EQ(problem.kind, ProblemKind::business_rule_violation);
    EXPECT_THAT(problem.message, HasSubstr("need a season map"));
}

TEST(InflowModelTest, AWeeklyCycleNeedsWeeks) {
    Calendar calendar = monthly_calendar(2024, 1, 12);
    calendar.cycle = SeasonCycle::weekly;

    const auto problems = problems_of(calendar, order_one(0.5));

    ASSERT_FALSE(problems.empty());
    EXPECT_THAT(problems[0].message, HasSubstr("must lie within one week"));
}

TEST(InflowModelTest, AYearlyPartNeedsMonths) {
    const auto problem = [](Calendar& calendar, ProcessData& data) {
        calendar.cycle = SeasonCycle::custom;
        data.annual = std::vector<AnnualComponent>{{0, 9, 0.1, 150, 10}};
    };

    EXPECT_THAT(only_problem_after(problem).message, HasSubstr("needs a monthly season cycle"));
}

TEST(InflowModelTest, RefusesOverlappingStagesWithMemory) {
    const Problem problem = only_problem_after(
        [](Calendar& calendar, ProcessData&) { calendar.stages[4].end += std::chrono::days(1); });

    EXPECT_EQ(problem.entity, "stage 5");
    EXPECT_THAT(problem.message, HasSubstr("must not overlap"));
}

TEST(InflowModelTest, OtherCyclesWithoutMemoryAreFine) {
    Calendar calendar = monthly_calendar(2024, 1, 12);
    calendar.cycle = SeasonCycle::weekly;
    ProcessData data = order_one(0.5);
    data.coefficients->clear();

    EXPECT_TRUE(problems_of(calendar, data).empty());
}

TEST(InflowModelTest, RefusesSeasonsThatTheStageDoesNotMeet) {
    const Problem problem =
        only_problem_after([](Calendar& calendar, ProcessData&) { calendar.stages[4].season = 7; });

    EXPECT_EQ(problem.kind, ProblemKind::business_rule_violation);
    EXPECT_THAT(problem.message, HasSubstr("no day of the stage is in its season 7"));
}

TEST(InflowModelTest, ReportsALagThatNoStageCovers) {
    Calendar calendar = monthly_calendar(2024, 1, 12);
    calendar.stages.erase(calendar.stages.begin() + 4);

    const auto problems = problems_of(calendar, order_one(0.5));

    const auto found = std::ranges::find(problems, "stage 5", &Problem::entity);
    ASSERT_NE(found, problems.end());
    EXPECT_THAT(found->message, HasSubstr("depends on that of 2024-05, which no stage"));
}

TEST(InflowModelTest, ReportsMemoryWithoutSeason) {
    Calendar calendar = monthly_calendar(2024, 1, 12);
    calendar.stages[4].season = -1;

    const auto problems = problems_of(calendar, order_one(0.5));

    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].kind, ProblemKind::business_rule_violation);
    EXPECT_EQ(problems[0].entity, "hydro 0, stage 4");
    EXPECT_THAT(problems[0].message, HasSubstr("no season"));
}

TEST(InflowModelTest, ReportsMemoryWithoutDeviation) {
    const Problem problem =
        only_problem_after([](Calendar&, ProcessData& data) { (*data.statistics)[4].std_m3s = 0; });

    EXPECT_EQ(problem.kind, ProblemKind::invalid_value);
    EXPECT_THAT(problem.message, HasSubstr("the deviation of its inflow is 0"));
}

TEST(InflowModelTest, ReportsRowsGivenTwice) {
    const auto statistics = only_problem_after([](Calendar&, ProcessData& data) {
        data.statistics->push_back({0, 3, 1, 1});
    });
    const auto coefficients = only_problem_after([](Calendar&, ProcessData& data) {
        data.coefficients->push_back({0, 3, 1, 0.1});
    });

    EXPECT_EQ(statistics.kind, ProblemKind::duplicate_id);
    EXPECT_EQ(coefficients.kind, ProblemKind::duplicate_id);
    EXPECT_EQ(coefficients.entity, "hydro 0, stage 3");
}

TEST(InflowModelTest, ReportsCoefficientsWithoutStatistics) {
    const Problem problem = only_problem_after([](Calendar&, ProcessData& data) {
        data.coefficients->push_back({0, 99, 1, 0.1});
    });

    EXPECT_EQ(problem.kind, ProblemKind::schema_violation);
    EXPECT_EQ(problem.file, subject::inflow_coefficients);
}

TEST(InflowModelTest, ReportsCoefficientsThatAreNotStationary) {
    const Problem problem = only_problem(monthly_calendar(2024, 1, 12), order_one(1.01));

    EXPECT_EQ(problem.kind, ProblemKind::invalid_value);
    EXPECT_EQ(problem.entity, "hydro 0");
    EXPECT_THAT(problem.message, HasSubstr("not stationary"));
}

TEST(InflowModelTest, RefusesCoefficientsThatDifferFromYearToYear) {
    ProcessData data = order_one(0.5);
    data.statistics->push_back({0, 12, 100, 20});
    data.coefficients->push_back({0, 12, 1, 0.4});

    const Problem problem = only_problem(monthly_calendar(2024, 1, 13), data);

    EXPECT_EQ(problem.kind, ProblemKind::not_supported);
    EXPECT_EQ(problem.entity, "hydro 0, stage 12");
}

TEST(InflowModelTest, ReportsLagsThatNobodyObserved) {
    const Problem problem = only_problem_after([](Calendar&, ProcessData& data) {
        data.recent[0].start += std::chrono::days(1);
        data.coefficients->push_back({0, 1, 2, 0.1});
        data.coefficients->push_back({0, 5, 2, 0.1});
    });

    EXPECT_EQ(problem.kind, ProblemKind::business_rule_violation);
    EXPECT_EQ(problem.file, subject::recent_inflows);
    EXPECT_THAT(problem.message, HasSubstr("cover 2023-12 in full"));
}

TEST(InflowModelTest, WarnsOfLagsThatOnlyTheYearlyMeanReads) {
    const Problem problem = only_problem_after([](Calendar&, ProcessData& data) {
        data.annual = std::vector<AnnualComponent>{{0, 9, 0.1, 150, 10}};
    });

    EXPECT_EQ(problem.kind, ProblemKind::model_quality);
    EXPECT_THAT(problem.message, HasSubstr("cover 2023-11, 2023-10 in full"));
}

}  // namespace
}  // namespace lockstep::sddp
