#include "sddp/passes/bounds/policy_cost.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/case_problem.hpp"
#include "support/train_run.hpp"

// Estimates of what a policy costs, from paths drawn by the weights of the risk measures.
namespace lockstep::sddp {
namespace {

struct Estimate {
    double mean = 0;
    double half_width_95 = 0;
};

TrainResult train_1dtoy(const Problem& problem, TrainOptions options, int iterations, int paths) {
    options.policy_cost = {iterations, iterations, paths};
    return test::train_alone(problem, test::with_iterations(options, iterations));
}

Estimate estimate_of(const TrainResult& trained) {
    const auto& last = trained.iterations.back();
    return {last.policy_cost, last.policy_cost_half_width_95};
}

Estimate simulated(const Problem& problem, const Policy& policy, int scenarios) {
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    Observer silent;
    SimulateOptions options;
    options.scenarios = scenarios;
    const auto result = simulate(problem, policy, options, team, silent);
    return {result.mean, result.half_width_95};
}

void make_averse(Problem& problem) {
    for (auto& stage : problem.calendar.stages) {
        stage.risk.alpha = 0.2;
        stage.risk.lambda = 0.5;
    }
}

// The policy of two iterations is bad: what it costs is far above its bound.
TEST(PolicyCostTest, IsTheMeanOfSimulationsWithAFractionOfTheirSpread) {
    const auto input = test::case_problem("1dtoy");
    for (const int iterations : {2, 20}) {
        const auto trained = train_1dtoy(input.problem, input.config.train, iterations, 400);
        const auto estimate = estimate_of(trained);
        const auto mean = simulated(input.problem, trained.policy, 4000);
        EXPECT_LE(std::abs(estimate.mean - mean.mean),
                  std::hypot(estimate.half_width_95, mean.half_width_95))
            << iterations;
        EXPECT_GT(estimate.mean, trained.lower_bound);
        if (iterations == 20) {
            EXPECT_LT(estimate.half_width_95, mean.half_width_95 / 3);
        }
    }
}

// Where plain costs say nothing.
TEST(PolicyCostTest, ComesDownToTheBoundUnderARiskMeasure) {
    auto input = test::case_problem("1dtoy");
    make_averse(input.problem);
    double last_gap = std::numeric_limits<double>::infinity();
    for (const int iterations : {3, 30, 150}) {
        const auto trained = train_1dtoy(input.problem, input.config.train, iterations, 100);
        const double gap = estimate_of(trained).mean / trained.lower_bound - 1;
        EXPECT_GE(gap, -1e-9);
        EXPECT_LT(gap, last_gap);
        last_gap = gap;
    }
    EXPECT_LT(last_gap, 0.002);
}

TEST(PolicyCostTest, StaysWhatItWasUntilTheNextOneAndEndsTraining) {
    const auto input = test::case_problem("1dtoy");
    auto options = test::with_iterations(input.config.train, 200);
    options.policy_cost = {4, 3, 50};
    StoppingRule gap;
    gap.kind = StoppingRule::Kind::gap;
    gap.tolerance = 0.05;
    options.stopping.push_back(gap);
    const auto trained = test::train_alone(input.problem, options);
    EXPECT_EQ(trained.stop, StopReason::gap);
    EXPECT_TRUE(trained.has_converged);
    const auto& reports = trained.iterations;
    ASSERT_GE(reports.size(), 4U);
    EXPECT_TRUE(std::isinf(reports[1].policy_cost));
    EXPECT_EQ(reports[3].policy_cost, reports[2].policy_cost);
    EXPECT_GT(reports[2].policy_cost_seconds, 0);
    EXPECT_EQ(reports[3].policy_cost_seconds, 0);
    const auto& last = reports.back();
    EXPECT_LE(last.policy_cost + last.policy_cost_half_width_95, 1.05 * last.lower_bound);
}

}  // namespace
}  // namespace lockstep::sddp
