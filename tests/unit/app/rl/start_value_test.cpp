#include "app/rl/start_value.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

TEST(StartValueTest, WeighsStatesByTheirProbability) {
    rl::Solution solution;
    solution.value = {1, 5};
    solution.lower = {0, 4};
    solution.upper = {2, 6};
    const std::vector<rl::Start> starts = {{0, 0.25}, {1, 0.75}};

    const auto start = start_value(starts, solution);

    ASSERT_TRUE(start);
    EXPECT_DOUBLE_EQ(start->value, 4);
    EXPECT_NEAR(start->lower, 3, 1e-13);
    EXPECT_NEAR(start->upper, 5, 1e-13);
}

TEST(StartValueTest, EnclosesTheMeanThoughThirdsAreRounded) {
    rl::Solution solution;
    solution.value = solution.lower = solution.upper = {0.1, 0.1, 0.1};
    const std::vector<rl::Start> starts = {{0, 1.0 / 3}, {1, 1.0 / 3}, {2, 1.0 / 3}};

    const auto start = start_value(starts, solution);

    EXPECT_LT(start->lower, 0.1);
    EXPECT_GT(start->upper, 0.1);
    EXPECT_LT(start->upper - start->lower, 1e-14);
}

TEST(StartValueTest, HasNothingToTellWithoutStarts) {
    EXPECT_FALSE(start_value({}, rl::Solution{}));
}

}  // namespace
}  // namespace lockstep::app
