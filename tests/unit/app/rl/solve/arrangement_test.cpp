#include "app/rl/solve/arrangement.hpp"

#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

// Of OpenGrid of 4096 x 4096 cells, 3 GB of rows.
rl::RowFacts large() {
    rl::RowFacts facts;
    facts.pairs = facts.outcomes = std::int64_t{4} << 24;
    facts.least_going_on = 0;
    return facts;
}
constexpr int states = 1 << 24;

rl::SolveOptions with(double gamma, rl::Method method = rl::Method::automatic) {
    rl::SolveOptions options;
    options.gamma = gamma;
    options.method = method;
    return options;
}

TEST(ArrangementTest, ComputesManyRowsAgainWhereEpisodesEnd) {
    for (const double gamma : {0.99, 1.0}) {
        const auto all = arrangement_of(with(gamma), large(), states, true);
        EXPECT_FALSE(all.keeps_rows);
        EXPECT_EQ(all.options.method, rl::Method::gauss_seidel);
        EXPECT_EQ(all.is_divisible, gamma < 1);
    }
}

TEST(ArrangementTest, KeepsRowsThatAreFewOrStoredAlready) {
    auto few = large();
    few.pairs = few.outcomes = 4'000'000;
    for (const auto& all : {arrangement_of(with(0.99), few, 1'000'000, true),
                            arrangement_of(with(0.99), large(), states, false)}) {
        EXPECT_TRUE(all.keeps_rows);
        EXPECT_EQ(all.options.method, rl::Method::automatic);
        EXPECT_FALSE(all.is_divisible);  // policies are evaluated by levels of groups
    }
}

TEST(ArrangementTest, KeepsRowsOfPolicies) {
    auto for_ever = large();
    for_ever.least_going_on = 1;
    const auto usual = arrangement_of(with(0.9), for_ever, states, true);
    EXPECT_TRUE(usual.keeps_rows);
    EXPECT_EQ(usual.options.method, rl::Method::automatic);
    EXPECT_TRUE(usual.is_divisible);
    const auto policies = with(0.9, rl::Method::policy_iteration);
    EXPECT_TRUE(arrangement_of(policies, large(), states, true).keeps_rows);
    EXPECT_FALSE(arrangement_of(policies, large(), states, true).is_divisible);
    const auto values = with(0.9, rl::Method::value_iteration);
    EXPECT_FALSE(arrangement_of(values, for_ever, states, true).keeps_rows);
}

}  // namespace
}  // namespace lockstep::app
