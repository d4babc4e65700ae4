#include "rl/server/lease_size.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "rl/server/speed.hpp"

namespace lockstep::rl {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::int64_t plenty = 1'000'000'000;

TEST(LeaseSizeTest, IsInProportionToSpeed) {
    const LeaseRule rule{10'000, 0.1};
    EXPECT_EQ(rule.size({1e6, 1e6, 3.25e6}, plenty, never), 10'000);
    EXPECT_EQ(rule.size({0.25e6, 1e6, 3.25e6}, plenty, never), 2'500);
}

TEST(LeaseSizeTest, TakesNoLongerThanItMay) {
    const LeaseRule rule{10'000, 0.1};
    EXPECT_EQ(rule.size({2e4, 2e4, 4e4}, plenty, never), 2'000);
    EXPECT_EQ(rule.size({1e6, 1e6, 2e6}, plenty, 0.004), 4'000);
}

TEST(LeaseSizeTest, FindsTheSpeedOutByAShortOne) {
    const LeaseRule rule{10'000, 0.1};
    EXPECT_EQ(rule.size({0, 1e6, 1e6}, plenty, never), 625);
    EXPECT_EQ(rule.size({0, 0, 0}, 3, never), 3);
    EXPECT_EQ((LeaseRule{1, 0.1}.size({0, 0, 0}, plenty, never)), 1);
}

TEST(LeaseSizeTest, TheLastOnesShrinkButNotToNothing) {
    const LeaseRule rule{10'000, 0.1};
    EXPECT_EQ(rule.size({1e6, 1e6, 4e6}, 20'000, never), 5'000);
    EXPECT_EQ(rule.size({1e6, 1e6, 4e6}, 2'000, never), 1'000);
    EXPECT_EQ(rule.size({1e6, 1e6, 4e6}, 300, never), 300);
}

TEST(SpeedTest, HalfOfWhatALeaseToldIsLeftAfterFive) {
    Speed speed;
    EXPECT_EQ(speed.rate(), 0);
    speed.add(1000, 1);
    EXPECT_EQ(speed.rate(), 1000);
    for (int i = 0; i < 5; ++i) {
        speed.add(3000, 1);
    }
    EXPECT_NEAR(speed.rate(), 2000, 1e-9);
}

TEST(SpeedTest, LearnsNothingFromNoTime) {
    Speed speed;
    speed.add(1000, 0);
    speed.add(1000, -1);
    speed.add(1000, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(speed.rate(), 0);
}

}  // namespace
}  // namespace lockstep::rl
