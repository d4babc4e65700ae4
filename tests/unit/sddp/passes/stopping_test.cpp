#include "sddp/passes/stopping.hpp"

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

using Kind = StoppingRule::Kind;

TrainOptions with(std::vector<StoppingRule> rules, bool all = false) {
    TrainOptions options;
    options.stopping = std::move(rules);
    options.stop_when_all = all;
    return options;
}

const StoppingRule ten{Kind::iteration_limit, 10, 0, 0};
const StoppingRule minute{Kind::time_limit, 0, 60, 0};
const StoppingRule stalled{Kind::bound_stalling, 2, 0, 1e-3};

TEST(StoppingTest, IterationLimitHoldsAtTheLimit) {
    EXPECT_FALSE(should_stop(with({ten}), std::vector<double>(9, 1.0), 0));
    EXPECT_EQ(should_stop(with({ten}), std::vector<double>(10, 1.0), 0),
              StopReason::iteration_limit);
}

TEST(StoppingTest, TimeLimitHoldsFromItsSecondOn) {
    EXPECT_FALSE(should_stop(with({ten, minute}), std::vector{1.0}, 59.9));
    EXPECT_EQ(should_stop(with({ten, minute}), std::vector{1.0}, 60), StopReason::time_limit);
}

TEST(StoppingTest, StallingComparesExactlyItsWindowBack) {
    EXPECT_FALSE(should_stop(with({ten, stalled}), std::vector{100.0, 100.0}, 0));
    EXPECT_FALSE(should_stop(with({ten, stalled}), std::vector{90.0, 100.0, 100.0}, 0));
    EXPECT_EQ(should_stop(with({ten, stalled}), std::vector{90.0, 100.0, 100.0, 100.05}, 0),
              StopReason::bound_stalling);
}

TEST(StoppingTest, AWindowOfOneDoesNotFireAtTheFirstIteration) {
    EXPECT_FALSE(should_stop(with({ten, {Kind::bound_stalling, 1, 0, 1e-3}}), std::vector{5.0}, 0));
}

TEST(StoppingTest, AllWaitsForEveryRuleButTheLimit) {
    const auto options = with({ten, minute, stalled}, true);
    EXPECT_FALSE(should_stop(options, std::vector(3, 100.0), 10));
    EXPECT_FALSE(should_stop(options, std::vector{1.0, 50.0, 100.0}, 99));
    EXPECT_EQ(should_stop(options, std::vector(3, 100.0), 99), StopReason::bound_stalling);
    EXPECT_EQ(should_stop(options, std::vector(10, 100.0), 10), StopReason::iteration_limit);
}

TEST(StoppingTest, TheLargestLimitEndsWhenAllMustHold) {
    const auto options = with({ten, {Kind::iteration_limit, 20, 0, 0}}, true);
    EXPECT_FALSE(should_stop(options, std::vector(15, 1.0), 0));
    EXPECT_EQ(should_stop(options, std::vector(20, 1.0), 0), StopReason::iteration_limit);
}

}  // namespace
}  // namespace lockstep::sddp
