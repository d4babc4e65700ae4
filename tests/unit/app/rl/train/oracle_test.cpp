#include "app/rl/train/oracle.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Subject subject(const std::string& name, const std::vector<formats::Setting>& options = {}) {
    Problems problems;
    return read_subject(name, options, problems);
}

rl::QTable zeros(const Subject& of) {
    const auto pairs = at(of.record.states) * at(of.record.actions);
    return {of.record.states,
            of.record.actions,
            std::vector<double>(pairs, 0.0),
            std::vector<std::uint32_t>(pairs, 1)};
}

// Of each pair what it is worth when all that follows is optimal.
rl::QTable optimal_table(const Subject& of, double gamma, runtime::ThreadTeam& team) {
    const auto model = *model_of(of);
    rl::SolveOptions options;
    options.gamma = gamma;
    rl::SolveObserver nobody;
    const auto solution = rl::solve(model, options, team, nobody);
    auto table = zeros(of);
    for (int s = 0; s < model.states(); ++s) {
        for (int a = 0; a < model.actions(); ++a) {
            double& value = table.values[at(s * model.actions() + a)];
            for (const auto& outcome : model.outcomes(s, a)) {
                const double after = outcome.terminated ? 0 : solution.value[at(outcome.next)];
                value += outcome.probability * (outcome.reward + gamma * after);
            }
        }
    }
    return table;
}

class OracleTest : public testing::Test {
protected:
    std::string reason(const Subject& of, const OracleLimits& limits) {
        return Oracle(of, 0.9, limits, team).why_skipped();
    }
    runtime::ThreadTeam team{2};
};

TEST_F(OracleTest, FindsNoFaultInOptimalTables) {
    for (const auto* name : {"FrozenLake", "Taxi", "TicTacToe", "garnet", "inventory"}) {
        const auto of = subject(name);
        const double gamma = 0.95;
        Oracle oracle(of, gamma, {}, team);
        const auto worth = oracle.judge(optimal_table(of, gamma, team)).worth;

        ASSERT_TRUE(worth) << name;
        EXPECT_LE(std::abs(worth->value_gap), 1e-8) << name;
        EXPECT_LE(worth->bellman_residual, 1e-8) << name;
        EXPECT_EQ(worth->policy_match, 1) << name;
    }
}

// rl.md, 3.7: V*(0) of four million pairs, of which no model is made.
TEST_F(OracleTest, JudgesProcessesThatComputeTheirRows) {
    const auto of = subject("garnet", {{"states", "1000000"}, {"branches", "3"}, {"seed", "7"}});
    Oracle oracle(of, 0.9, {}, team);
    ASSERT_TRUE(oracle.optimum()) << oracle.why_skipped();
    EXPECT_NEAR(oracle.optimum()->value, 8.289544873, 2e-9);

    const auto worth = oracle.judge(zeros(of)).worth;

    ASSERT_TRUE(worth);
    EXPECT_LE(worth->value.lower, worth->value.upper);
    EXPECT_GT(worth->value_gap, 1);
    EXPECT_NEAR(worth->bellman_residual, 1, 1e-5);  // the largest of four million rewards below 1
}

TEST_F(OracleTest, SaysWhatIsSkippedAndHowToAskForIt) {
    const auto of = subject("garnet");
    OracleLimits limits;
    limits.seconds = 1e-9;
    EXPECT_THAT(reason(of, limits),
                AllOf(HasSubstr("400 pairs of garnet"), HasSubstr("--exact-values always")));
    limits.when = ExactValues::always;
    EXPECT_THAT(reason(of, limits), IsEmpty());
    limits.bytes = 1;
    EXPECT_THAT(reason(of, limits), HasSubstr("of memory and there are 0.0 GiB"));
    limits.when = ExactValues::never;
    EXPECT_THAT(reason(of, limits), IsEmpty());
    EXPECT_FALSE(Oracle(of, 0.9, limits, team).optimum());
}

TEST_F(OracleTest, GivesUpWhenItIsAskedTo) {
    OracleLimits limits;
    limits.stop_requested = [] { return true; };
    EXPECT_THAT(reason(subject("FrozenLake"), limits), HasSubstr("given up"));
}

}  // namespace
}  // namespace lockstep::app
