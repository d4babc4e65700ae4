#include "app/sddp/time_left.hpp"

#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

using Kind = sddp::StoppingRule::Kind;

sddp::TrainOptions options(std::vector<sddp::StoppingRule> rules, bool all = false) {
    sddp::TrainOptions result;
    result.stopping = std::move(rules);
    result.stop_when_all = all;
    return result;
}

sddp::IterationReport report(int iteration, double wall, double elapsed) {
    sddp::IterationReport result;
    result.iteration = iteration;
    result.wall_seconds = wall;
    result.elapsed_seconds = elapsed;
    return result;
}

constexpr sddp::StoppingRule limit(int iterations) {
    return {Kind::iteration_limit, iterations, 0, 0};
}
constexpr sddp::StoppingRule time_limit(double seconds) {
    return {Kind::time_limit, 0, seconds, 0};
}
constexpr sddp::StoppingRule stalling() {
    return {Kind::bound_stalling, 5, 0, 1e-3};
}

TEST(TimeLeftTest, KnowsNothingBeforeTheFirstIteration) {
    const TimeLeft time_left(options({limit(10)}));

    EXPECT_FALSE(time_left.forecast().has_value());
    EXPECT_EQ(time_left.iteration_limit(), 10);
}

TEST(TimeLeftTest, MultipliesThePaceByTheIterationsThatAreLeft) {
    TimeLeft time_left(options({limit(10)}));

    time_left.add(report(1, 2, 2));
    time_left.add(report(2, 4, 6));

    EXPECT_DOUBLE_EQ(time_left.forecast()->seconds, 8 * 3.0);
    EXPECT_FALSE(time_left.forecast()->is_limit);
}

TEST(TimeLeftTest, ForgetsThePaceOfLongAgo) {
    TimeLeft time_left(options({limit(100)}));

    for (auto iteration = 1; iteration <= 20; ++iteration) {
        time_left.add(report(iteration, iteration <= 12 ? 100 : 1, iteration));
    }

    EXPECT_DOUBLE_EQ(time_left.forecast()->seconds, 80.0);
}

TEST(TimeLeftTest, TakesTheRuleThatHoldsFirst) {
    TimeLeft time_left(options({limit(1000), time_limit(60)}));

    time_left.add(report(10, 1, 20));

    EXPECT_DOUBLE_EQ(time_left.forecast()->seconds, 40.0);
}

TEST(TimeLeftTest, SaysThatAStandingBoundMayEndItSooner) {
    TimeLeft time_left(options({limit(100), stalling()}));

    time_left.add(report(10, 1, 10));

    EXPECT_DOUBLE_EQ(time_left.forecast()->seconds, 90.0);
    EXPECT_TRUE(time_left.forecast()->is_limit);
}

TEST(TimeLeftTest, WaitsForAllRulesButTheIterationLimit) {
    TimeLeft time_left(options({limit(50), time_limit(20), time_limit(30)}, true));
    time_left.add(report(10, 1, 10));
    EXPECT_DOUBLE_EQ(time_left.forecast()->seconds, 20.0);

    TimeLeft capped(options({limit(15), time_limit(300)}, true));
    capped.add(report(10, 1, 10));
    EXPECT_DOUBLE_EQ(capped.forecast()->seconds, 5.0);
}

TEST(TimeLeftTest, NeverGoesBelowZero) {
    TimeLeft time_left(options({limit(5), time_limit(1)}));

    time_left.add(report(7, 1, 7));

    EXPECT_DOUBLE_EQ(time_left.forecast()->seconds, 0.0);
}

}  // namespace
}  // namespace lockstep::app
