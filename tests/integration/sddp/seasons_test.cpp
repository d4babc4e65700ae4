#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/process.hpp"

#include "support/dice.hpp"
#include "support/extensive_form.hpp"
#include "support/tiny_problem.hpp"
#include "support/train_run.hpp"

namespace lockstep {
namespace {

using std::chrono::days;

constexpr auto solver = lp::SolverKind::highs;

Date day(int year, unsigned month, unsigned day_of_month) {
    return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) /
                                 std::chrono::day(day_of_month));
}

/// The day after a stage, and its season.
struct Step {
    Date end;
    int season;
};

sddp::Calendar calendar_of(sddp::SeasonCycle cycle,
                           std::vector<sddp::Season> seasons,
                           Date start,
                           const std::vector<Step>& steps,
                           int openings) {
    sddp::Calendar calendar;
    calendar.cycle = cycle;
    calendar.seasons = std::move(seasons);
    for (const Step& step : steps) {
        sddp::Stage stage;
        stage.id = static_cast<int>(calendar.stages.size());
        stage.start = start;
        stage.end = step.end;
        stage.season = step.season;
        stage.blocks = {{"all", 24.0 * stage.calendar_days()}};
        stage.openings = openings;
        calendar.stages.push_back(stage);
        start = step.end;
    }
    return calendar;
}

std::vector<sddp::Season> twelve_months() {
    std::vector<sddp::Season> seasons;
    for (unsigned month = 1; month <= 12; ++month) {
        seasons.push_back({static_cast<int>(month) - 1, "", month, 1, month, 31});
    }
    return seasons;
}

std::vector<sddp::Season> months_and_quarters() {
    auto seasons = twelve_months();
    for (int quarter = 0; quarter < 4; ++quarter) {
        const auto first = static_cast<unsigned>(3 * quarter + 1);
        seasons.push_back({12 + quarter, "", first, 1, first + 2, 31});
    }
    return seasons;
}

/// Weeks that end in the middle of other months, then the rest of one and a whole one.
sddp::Calendar weeks_then_months(int openings) {
    return calendar_of(sddp::SeasonCycle::monthly,
                       twelve_months(),
                       day(2024, 1, 20),
                       {{day(2024, 1, 27), 0},
                        {day(2024, 2, 3), 0},
                        {day(2024, 2, 10), 1},
                        {day(2024, 3, 1), 1},
                        {day(2024, 4, 1), 2}},
                       openings);
}

sddp::Calendar months_then_quarters(int openings) {
    return calendar_of(sddp::SeasonCycle::custom,
                       months_and_quarters(),
                       day(2024, 2, 1),
                       {{day(2024, 3, 1), 1},
                        {day(2024, 4, 1), 2},
                        {day(2024, 7, 1), 13},
                        {day(2024, 10, 1), 14},
                        {day(2025, 1, 1), 15}},
                       openings);
}

sddp::Calendar weeks(int openings) {
    std::vector<sddp::Season> seasons;
    for (int week = 0; week < 52; ++week) {
        seasons.push_back({week, "", 1, 1, 12, 31});
    }
    std::vector<Step> steps;
    for (int week = 1; week <= 5; ++week) {
        steps.push_back({day(2026, 4, 6) + days(7 * week), 13 + week});
    }
    return calendar_of(
        sddp::SeasonCycle::weekly, std::move(seasons), day(2026, 4, 6), steps, openings);
}

struct Variant {
    std::string name;
    sddp::Calendar (*calendar)(int openings);
    int order;
    int openings;
    sddp::NonNegativity non_negativity = sddp::NonNegativity::penalty;
    double deviation = 1;  ///< times the usual
};

void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

/// Statistics of a plant by season, and coefficients of its order.
void add_rows(const sddp::Calendar& calendar,
              int hydro,
              int order,
              double deviation,
              sddp::ProcessData& data) {
    const double share = hydro == 0 ? 1 : 0.5;
    for (const auto& stage : calendar.stages) {
        data.statistics->push_back(
            {hydro, stage.id, 40 * share + stage.season, 18 * share * deviation});
        for (int lag = 1; lag <= order; ++lag) {
            data.coefficients->push_back({hydro, stage.id, lag, lag == 1 ? 0.5 : 0.2});
        }
    }
    for (const int past : {-1, -2, -3}) {
        data.statistics->push_back({hydro, past, 38 * share, 20 * share * deviation});
    }
}

/// Two plants in a row, of which the second remembers one season less, and too little thermal
/// power.
sddp::Problem problem_of(const Variant& variant, std::uint64_t seed) {
    test::Dice dice(seed);
    sddp::Calendar calendar = variant.calendar(variant.openings);
    if (calendar.cycle == sddp::SeasonCycle::custom) {
        calendar.past = {{-3, day(2023, 1, 1), day(2023, 4, 1), 12}};  // no stage is in that season
    }
    auto problem = test::tiny_problem(calendar.stage_count(), 1);
    problem.calendar = calendar;
    for (auto& bus : problem.system.buses) {
        bus.load_factor = sddp::ByBlock(calendar, 1);
    }
    problem.system.thermals = {test::tiny_thermal(problem, 20, 30),
                               test::tiny_thermal(problem, 60, 20)};
    test::add_tiny_hydro(problem, 60, 200);
    test::add_tiny_hydro(problem, 20, 80);
    problem.system.hydros[1].id = 1;
    problem.system.hydros[0].downstream = 1;
    sddp::ProcessData data;
    data.non_negativity = variant.non_negativity;
    data.statistics.emplace();
    data.coefficients.emplace();
    data.recent.push_back(
        {0, day(2023, 1, 1), calendar.stages.front().start, dice.uniform(15, 60)});
    data.history.emplace();
    // the end of a season that is under way need not have been observed
    const bool is_under_way = calendar.cycle == sddp::SeasonCycle::monthly && variant.order > 1;
    data.history->push_back(
        {1, day(2022, 6, 1), calendar.stages.front().start - days(9), dice.uniform(5, 30)});
    data.history->push_back({1,
                             calendar.stages.front().start - days(9),
                             calendar.stages.front().start - days(is_under_way ? 3 : 0),
                             dice.uniform(5, 30)});
    for (int h = 0; h < 2; ++h) {
        add_rows(calendar, h, variant.order - h, variant.deviation, data);
    }
    for (auto& hydro : problem.system.hydros) {
        for (auto& costs : hydro.costs) {
            costs.inflow_slack = 500;
        }
    }
    for (auto& bus : problem.system.buses) {
        bus.mean_load_mw = std::vector<double>(calendar.stages.size(), 100);
    }
    Problems problems;
    problem.process = build_process(calendar, problem.system, data, problems);
    problems.throw_if_errors(variant.name);
    return problem;
}

class SeasonsTest : public testing::TestWithParam<Variant> {};

TEST_P(SeasonsTest, TrainingFindsTheOptimumOfTheExtensiveForm) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = problem_of(GetParam(), seed);
        sddp::TrainOptions options;
        options.solver = solver;
        options.forward_passes = 4;
        const auto trained = test::train_alone(problem, test::with_iterations(options, 60));
        const double optimum = test::extensive_optimum(problem, solver);
        EXPECT_NEAR(trained.lower_bound, optimum, 1e-7 * optimum) << "seed " << seed;
    }
}

// Inflows that vary three times as much are often negative, with a season's lags as with others.
TEST_P(SeasonsTest, TheBoundHoldsWhereInflowsAreTruncated) {
    Variant variant = GetParam();
    variant.non_negativity = sddp::NonNegativity::truncation;
    variant.deviation = 3;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = problem_of(variant, seed);
        sddp::TrainOptions options;
        options.solver = solver;
        options.forward_passes = 4;
        const auto trained = test::train_alone(problem, test::with_iterations(options, 25));
        const double optimum = test::extensive_optimum(problem, solver);
        EXPECT_LE(trained.lower_bound, optimum * (1 + 1e-9)) << "seed " << seed;
        EXPECT_GE(trained.lower_bound, 0.3 * optimum) << "seed " << seed;
    }
}

TEST_P(SeasonsTest, RanksAndThreadsDoNotChangeABit) {
    const auto problem = problem_of(GetParam(), 4);
    sddp::TrainOptions options;
    options.solver = solver;
    options.forward_passes = 5;
    options = test::with_iterations(options, 5);
    const auto reference = test::run_bits(problem, options, 7, 1, 1);
    for (const auto& [ranks, threads] : {std::pair(1, 2), std::pair(2, 1), std::pair(3, 2)}) {
        EXPECT_EQ(test::run_bits(problem, options, 7, ranks, threads), reference)
            << ranks << " ranks of " << threads << " threads";
    }
}

INSTANTIATE_TEST_SUITE_P(Calendars,
                         SeasonsTest,
                         testing::Values(Variant{"weeks_then_months", weeks_then_months, 2, 3},
                                         Variant{
                                             "months_then_quarters", months_then_quarters, 2, 3},
                                         Variant{"weeks", weeks, 2, 3},
                                         Variant{"order_one", weeks_then_months, 1, 2}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace lockstep
