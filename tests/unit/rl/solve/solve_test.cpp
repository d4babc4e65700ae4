#include "lockstep/rl/solve.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/generated_rows.hpp"
#include "lockstep/rl/environments/open_grid.hpp"

#include "support/rl/exact_values.hpp"
#include "support/rl/worlds.hpp"

namespace lockstep::rl {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::array all_methods{Method::automatic,
                                 Method::value_iteration,
                                 Method::gauss_seidel,
                                 Method::modified_policy_iteration,
                                 Method::policy_iteration};

SolveOptions with(double gamma, Method method = Method::automatic) {
    SolveOptions options;
    options.gamma = gamma;
    options.method = method;
    options.max_sweeps = 100'000;
    return options;
}

Solution solved(const Model& model, const SolveOptions& options, int threads = 1) {
    runtime::ThreadTeam team(threads);
    SolveObserver observer;
    return solve(model, options, team, observer);
}

Solution solved(const RowSource& rows, const SolveOptions& options, int threads = 1) {
    runtime::ThreadTeam team(threads);
    SolveObserver observer;
    return solve(rows, {}, options, team, observer);
}

void expect_encloses(const Solution& solution, int s, double value) {
    const double rounding = 1e-14 * (1 + std::abs(value));
    EXPECT_LE(solution.lower[at(s)], value + rounding) << "state " << s;
    EXPECT_GE(solution.upper[at(s)], value - rounding) << "state " << s;
}

// State 0 earns 1 a step and may end; state 1 earns 1 and ends at once. The span of differences is
// 0 in the first sweep, where the rule for processes without ends returns 1/(1 - 0.99) = 100.
TEST(SolveTest, DoesNotTakeTheSpanForTheErrorWhereEpisodesEnd) {
    ModelBuilder builder(2, 1);
    builder.add(0, 0, {0.5, 1, 1.0, true});
    builder.add(0, 0, {0.5, 0, 1.0, false});
    builder.add(1, 0, {1.0, 0, 1.0, true});
    const double exact = 1 / (1 - 0.5 * 0.99);
    ASSERT_NEAR(exact, 1.9802, 1e-4);
    for (const Method method : all_methods) {
        SolveOptions options = with(0.99, method);
        const Solution solution = solved(builder.build(), options);
        EXPECT_NEAR(solution.value[0], exact, 1e-9);
        expect_encloses(solution, 0, exact);
        expect_encloses(solution, 1, 1);
        options.max_sweeps = 1;
        expect_encloses(solved(builder.build(), options), 0, exact);
    }
}

TEST(SolveTest, Encloses1InTheLimitOfSmallChanges) {
    // Storm's users met such stops: a step changes values by far less than they lack.
    constexpr double p = 1e-7;
    ModelBuilder builder(1, 1);
    builder.add(0, 0, {1 - p, 0, 0.0, false});
    builder.add(0, 0, {p / 2, 0, 1.0, true});
    builder.add(0, 0, {p / 2, 0, 0.0, true});
    for (const Method method : all_methods) {
        SolveOptions options = with(1, method);
        options.tolerance = 1e-6;
        options.max_sweeps = 1000;
        const Solution solution = solved(builder.build(), options);
        expect_encloses(solution, 0, 0.5);
        if (solution.ending == Ending::proven) {
            EXPECT_NEAR(solution.value[0], 0.5, 1e-6);
        } else {
            EXPECT_GT(solution.half_width, 1e-6);
        }
    }
}

// A chain of ends at the left (0) and right (1), 1/2 each way: values are i/n, and changes are
// small long before they are right.
TEST(SolveTest, SaysIterationLimitRatherThanStopEarly) {
    constexpr int n = 60;
    ModelBuilder builder(n - 1, 1);
    for (int s = 0; s < n - 1; ++s) {
        const bool is_first = s == 0;
        const bool is_last = s == n - 2;
        builder.add(s, 0, {0.5, is_first ? s : s - 1, 0.0, is_first});
        builder.add(s, 0, {0.5, is_last ? s : s + 1, is_last ? 1.0 : 0.0, is_last});
    }
    const Model model = builder.build();
    for (const Method method : all_methods) {
        SolveOptions options = with(1, method);
        const Solution solution = solved(model, options);
        EXPECT_EQ(solution.ending, Ending::proven);
        for (int s = 0; s < n - 1; ++s) {
            EXPECT_NEAR(solution.value[at(s)], (s + 1.0) / n, 1e-9);
            expect_encloses(solution, s, (s + 1.0) / n);
        }
        if (method == Method::policy_iteration) {
            continue;
        }
        options.max_sweeps = 20;
        const Solution early = solved(model, options);
        EXPECT_EQ(early.ending, Ending::iteration_limit);
        EXPECT_LE(early.sweeps, 20);
        for (int s = 0; s < n - 1; ++s) {
            expect_encloses(early, s, (s + 1.0) / n);
        }
    }
}

TEST(SolveTest, ObeysAnyLimit) {
    const test::Grid grid(20, true);
    for (const Method method : all_methods) {
        for (const double gamma : {0.9, 0.999, 1.0}) {
            for (const int limit : {1, 2, 3, 5, 17}) {
                SolveOptions options = with(gamma, method);
                options.max_sweeps = limit;
                options.tolerance = 1e-12;
                const Solution solution = solved(grid, options);
                EXPECT_LE(solution.sweeps, limit);
                EXPECT_EQ(solution.ending, Ending::iteration_limit)
                    << "method " << static_cast<int>(method) << " gamma " << gamma;
            }
        }
    }
}

TEST(SolveTest, EndsWhenTheObserverAsks) {
    struct Impatient : SolveObserver {
        int reports = 0;
        void on_sweep(const SweepReport&) override { ++reports; }
        bool stop_requested() override { return reports >= 3; }
    };
    runtime::ThreadTeam team(1);
    for (const Method method : all_methods) {
        Impatient observer;
        SolveOptions options = with(0.999, method);
        options.tolerance = 1e-12;
        const test::Grid grid(30, true);
        const Solution solution = solve(grid, {}, options, team, observer);
        EXPECT_EQ(solution.ending, Ending::stopped);
        expect_encloses(solution, 899, 0);
        EXPECT_LT(solution.half_width, 2000);
    }
}

TEST(SolveTest, FindsNothingWhereNothingIsEarned) {
    const Model frozen = [] {
        ModelBuilder builder(3, 2);
        for (int s = 0; s < 3; ++s) {
            builder.add(s, 0, {1.0, (s + 1) % 3, 0.0, false});
            builder.add(s, 1, {1.0, s, 0.0, false});
        }
        return builder.build();
    }();
    for (const Method method : all_methods) {
        for (const double gamma : {0.0, 0.5, 0.99, 1.0}) {
            const Solution solution = solved(frozen, with(gamma, method));
            EXPECT_EQ(solution.ending, Ending::proven);
            EXPECT_LE(solution.sweeps, 10);
            for (int s = 0; s < 3; ++s) {
                EXPECT_EQ(solution.value[at(s)], 0);
                EXPECT_GE(solution.policy[at(s)], 0);
            }
        }
    }
}

TEST(SolveTest, RefusesToEarnForEver) {
    ModelBuilder builder(3, 1);
    builder.add(0, 0, {1.0, 1, 0.0, false});
    builder.add(1, 0, {1.0, 2, 3.0, false});
    builder.add(2, 0, {1.0, 1, -2.0, false});
    EXPECT_THAT(
        [&] { solved(builder.build(), with(1)); },
        ThrowsMessage<ModelError>(AllOf(HasSubstr("states 1, 2"), HasSubstr("earn for ever"))));
    EXPECT_EQ(solved(builder.build(), with(0.9)).ending, Ending::proven);
}

TEST(SolveTest, RefusesToPayForEver) {
    ModelBuilder builder(3, 1);
    builder.add(0, 0, {1.0, 0, -1.0, true});
    builder.add(1, 0, {1.0, 2, -1.0, false});
    builder.add(2, 0, {1.0, 1, 0.0, false});
    EXPECT_THAT(
        [&] { solved(builder.build(), with(1)); },
        ThrowsMessage<ModelError>(AllOf(HasSubstr("states 1, 2"), HasSubstr("certain to end"))));
}

TEST(SolveTest, RefusesToDecideWhatAddsUpToNothing) {
    ModelBuilder builder(2, 1);
    builder.add(0, 0, {1.0, 1, 1.0, false});
    builder.add(1, 0, {1.0, 0, -1.0, false});
    EXPECT_THAT([&] { solved(builder.build(), with(1)); },
                ThrowsMessage<ModelError>(HasSubstr("is not decided")));
}

TEST(SolveTest, LeavesOutStatesThatNoEpisodeReaches) {
    ModelBuilder builder(3, 1);
    builder.add(0, 0, {1.0, 1, 2.0, false});
    builder.add(1, 0, {1.0, 1, 3.0, true});
    builder.add(2, 0, {1.0, 2, 1.0, false});
    builder.add_start({0, 1.0});
    const Model model = builder.build();
    for (const Method method : all_methods) {
        const Solution solution = solved(model, with(1, method));
        EXPECT_EQ(solution.ending, Ending::proven);
        EXPECT_NEAR(solution.value[0], 5, 1e-12);
        EXPECT_THAT(solution.undefined, ElementsAre(2));
        EXPECT_EQ(solution.lower[2], -std::numeric_limits<double>::infinity());
        EXPECT_EQ(solution.upper[2], std::numeric_limits<double>::infinity());
    }
}

// Trap 11: every value is 1, and the first best action stands still.
TEST(SolveTest, ReturnsAPolicyThatAttainsTheValues) {
    for (const test::ExactModel& exact : test::exact_models()) {
        for (const Method method : all_methods) {
            const Solution best = solved(exact.model, with(1, method));
            std::vector<double> policy(best.optimal.size(), 0.0);
            for (int s = 0; s < exact.model.states(); ++s) {
                if (best.policy[at(s)] >= 0) {
                    policy[at(s * exact.model.actions() + best.policy[at(s)])] = 1;
                }
            }
            runtime::ThreadTeam team(1);
            SolveObserver observer;
            const Solution worth = evaluate(exact.model, policy, with(1), team, observer);
            for (int s = 0; s < exact.model.states(); ++s) {
                EXPECT_GE(worth.upper[at(s)], best.lower[at(s)]) << exact.name << " state " << s;
                EXPECT_NEAR(worth.value[at(s)], best.value[at(s)], 1e-8) << exact.name;
            }
        }
    }
}

TEST(SolveTest, PolicyIterationEndsFromAnyFirstPolicy) {
    for (const test::ExactModel& exact : test::exact_models()) {
        for (const double gamma : {0.95, 1.0}) {
            const Solution expected = solved(exact.model, with(gamma));
            for (int a = 0; a < exact.model.actions(); ++a) {
                SolveOptions options = with(gamma, Method::policy_iteration);
                options.first_policy.assign(at(exact.model.states()), a);
                const Solution solution = solved(exact.model, options);
                EXPECT_EQ(solution.ending, Ending::proven) << exact.name << " action " << a;
                for (int s = 0; s < exact.model.states(); ++s) {
                    EXPECT_NEAR(solution.value[at(s)], expected.value[at(s)], 2e-9);
                }
            }
        }
    }
}

TEST(SolveTest, GivesTheSameBitsForAnyNumberOfThreads) {
    const test::Garnet garnet(9'000, 3, 4, 5);
    const test::Grid grid(290, true, 0.05);
    for (const Method method : all_methods) {
        if (method == Method::policy_iteration) {
            continue;
        }
        SolveOptions options = with(0.8, method);
        options.tolerance = 1e-4;
        for (const RowSource* rows :
             {static_cast<const RowSource*>(&garnet), static_cast<const RowSource*>(&grid)}) {
            const Solution one = solved(*rows, options);
            for (const int threads : {2, 3, 4}) {
                const Solution many = solved(*rows, options, threads);
                EXPECT_EQ(one.value, many.value);
                EXPECT_EQ(one.lower, many.lower);
                EXPECT_EQ(one.upper, many.upper);
                EXPECT_EQ(one.policy, many.policy);
                EXPECT_EQ(one.sweeps, many.sweeps);
            }
        }
    }
}

// Large enough for blocks of sweeps in place, and for equations of policies by levels.
TEST(SolveTest, SolvesASlipperyGridWithWalls) {
    const test::Grid grid(260, true, 0.15);
    runtime::ThreadTeam team(1);
    const RowTable rows(grid, team);
    SolveOptions options = with(0.9999);
    options.tolerance = 1e-6;
    const Solution one = solved(rows, options);
    EXPECT_EQ(one.ending, Ending::proven);
    EXPECT_LT(one.sweeps, 1000);
    const Solution many = solved(rows, options, 2);
    EXPECT_EQ(one.value, many.value);
    EXPECT_EQ(one.policy, many.policy);
    EXPECT_EQ(one.sweeps, many.sweeps);
    options.method = Method::gauss_seidel;
    options.tolerance = 1e-3;
    const Solution plain = solved(rows, options);
    for (int s = 0; s < grid.states(); ++s) {
        EXPECT_LE(one.lower[at(s)], plain.upper[at(s)]) << s;
        EXPECT_GE(one.upper[at(s)], plain.lower[at(s)]) << s;
    }
}

TEST(SolveTest, StoredAndComputedRowsGiveTheSameBits) {
    runtime::ThreadTeam team(1);
    for (const Method method : {Method::value_iteration, Method::gauss_seidel}) {
        const test::Garnet garnet(500, 3, 4, 5);
        const Solution computed = solved(garnet, with(0.9, method));
        EXPECT_EQ(computed.value, solved(RowTable(garnet, team), with(0.9, method)).value);
    }
}

// The closed form of the reference, 3.7.
double open_grid_value(int size, int s, double gamma) {
    const int distance = 2 * size - 2 - s / size - s % size;
    return gamma == 1 ? -distance : -(1 - std::pow(gamma, distance)) / (1 - gamma);
}

TEST(SolveTest, FindsTheDistanceInAnOpenGrid) {
    constexpr int n = 12;
    for (const double gamma : {1.0, 0.9}) {
        const Solution solution = solved(GeneratedRows(OpenGrid(n)), with(gamma));
        for (int s = 0; s < n * n - 1; ++s) {
            const double exact = open_grid_value(n, s, gamma);
            EXPECT_NEAR(solution.value[at(s)], exact, 1e-9);
            expect_encloses(solution, s, exact);
        }
    }
}

// More than one block of sweeps in place; sweeps must not count the steps one by one.
TEST(SolveTest, FindsLongWaysInFewSweeps) {
    constexpr int n = 300;
    for (const double gamma : {1.0, 0.9999}) {
        SolveOptions options = with(gamma);
        options.tolerance = 1e-7;
        const Solution solution = solved(GeneratedRows(OpenGrid(n)), options);
        EXPECT_EQ(solution.ending, Ending::proven);
        EXPECT_LT(solution.sweeps, 60) << gamma;
        for (int s = 0; s < n * n - 1; s += 7) {
            EXPECT_NEAR(solution.value[at(s)], open_grid_value(n, s, gamma), 1e-7);
            expect_encloses(solution, s, open_grid_value(n, s, gamma));
        }
    }
}

// golden.json, garnet: the values of a generator that is given in the reference.
TEST(SolveTest, FindsTheValuesOfGarnets) {
    const Solution small = solved(test::Garnet(100, 4, 5, 1), with(0.95));
    EXPECT_NEAR(small.value[0], 16.058712433, 1e-9);
    const Solution large = solved(test::Garnet(1000, 4, 5, 7), with(0.99));
    EXPECT_NEAR(large.value[0], 81.446118589, 1e-9);
}

// golden.json, frozen_lake and reference 3.2: 100 steps and a policy that may look at the clock.
TEST(SolveTest, CountsStepsOfAHorizon) {
    SolveOptions options = with(1);
    options.criterion = Criterion::horizon;
    options.horizon = 100;
    const test::ExactModel lake = std::move(test::exact_models().front());
    const Solution solution = solved(lake.model, options);
    EXPECT_EQ(solution.ending, Ending::proven);
    EXPECT_NEAR(solution.value[0], 0.744190, 5e-7);
    EXPECT_EQ(solution.decisions.size(), 1600U);
    options.max_sweeps = 40;
    const Solution early = solved(lake.model, options);
    EXPECT_EQ(early.ending, Ending::iteration_limit);
    expect_encloses(early, 0, solution.value[0]);
}

TEST(SolveTest, FindsTheBestAverage) {
    // Stay for 1 a step, or go round by way of 1 and 2 for 0, 0 and 4: 4/3.
    ModelBuilder builder(3, 2);
    builder.add(0, 0, {1.0, 0, 1.0, false});
    builder.add(0, 1, {1.0, 1, 0.0, false});
    builder.add(1, 0, {1.0, 2, 0.0, false});
    builder.add(2, 0, {1.0, 0, 4.0, false});
    SolveOptions options = with(1);
    options.criterion = Criterion::average;
    const Solution solution = solved(builder.build(), options);
    EXPECT_EQ(solution.ending, Ending::proven);
    EXPECT_NEAR(solution.value[0], 4.0 / 3, 1e-9);
    expect_encloses(solution, 0, 4.0 / 3);
    EXPECT_EQ(solution.policy[0], 1);
    EXPECT_THAT(std::vector<int>(solution.optimal.begin(), solution.optimal.begin() + 2),
                ElementsAre(0, 1));
}

// Dry FrozenLake: six steps an episode, each of which earns 1.
TEST(SolveTest, BeginsAnewForTheAverage) {
    SolveOptions options = with(1);
    options.criterion = Criterion::average;
    const Solution solution = solved(test::exact_models().at(1).model, options);
    EXPECT_NEAR(solution.value[0], 1.0 / 6, 1e-9);
    ModelBuilder builder(1, 1);
    builder.add(0, 0, {1.0, 0, 1.0, true});
    EXPECT_THAT([&] { solved(builder.build(), options); },
                ThrowsMessage<ModelError>(HasSubstr("give the model starts")));
}

TEST(SolveTest, RefusesOptionsThatMeanNothing) {
    const Model model = std::move(test::exact_models().front().model);
    for (const double gamma : {-0.1, 1.0000001, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THAT([&] { solved(model, with(gamma)); },
                    ThrowsMessage<InputError>(HasSubstr("must be 0 to 1")));
    }
    SolveOptions options = with(1);
    options.tolerance = 0;
    EXPECT_THROW(solved(model, options), InputError);
    options = with(1);
    options.max_sweeps = 0;
    EXPECT_THROW(solved(model, options), InputError);
    options = with(1);
    options.criterion = Criterion::horizon;
    EXPECT_THROW(solved(model, options), InputError);
    options = with(0.9, Method::policy_iteration);
    options.first_policy.assign(16, 4);
    EXPECT_THAT([&] { solved(model, options); },
                ThrowsMessage<InputError>(HasSubstr("action 4 is not legal in state 0")));
}

TEST(SolveTest, EvaluatesStochasticPolicies) {
    // One of two actions at random: +1 and the end, or -1 and again.
    ModelBuilder builder(1, 2);
    builder.add(0, 0, {1.0, 0, 1.0, true});
    builder.add(0, 1, {1.0, 0, -1.0, false});
    const Model model = builder.build();
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    const Solution fair = evaluate(model, std::vector{0.5, 0.5}, with(1), team, observer);
    EXPECT_NEAR(fair.value[0], 0, 1e-12);
    const Solution less = evaluate(model, std::vector{0.25, 0.75}, with(0.9), team, observer);
    EXPECT_NEAR(less.value[0], -0.5 / (1 - 0.75 * 0.9), 1e-9);
    EXPECT_THROW(evaluate(model, std::vector{0.0, 1.0}, with(1), team, observer), ModelError);
    EXPECT_THAT(
        [&] {
            evaluate(model, std::vector{0.5, 0.4}, with(1), team, observer);
        },
        ThrowsMessage<InputError>(HasSubstr("add up to 0.9")));
}

}  // namespace
}  // namespace lockstep::rl
