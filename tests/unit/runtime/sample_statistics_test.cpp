#include "lockstep/runtime/sample_statistics.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

TEST(StatisticsTest, MeanAndSpreadByHand) {
    const auto sample = sample_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
    EXPECT_DOUBLE_EQ(sample.mean, 5);
    EXPECT_DOUBLE_EQ(sample.std, std::sqrt(32.0 / 7));
    EXPECT_DOUBLE_EQ(sample.half_width_95, 1.96 * std::sqrt(32.0 / 7) / std::sqrt(8.0));
}

TEST(StatisticsTest, OneCostHasNoSpread) {
    const auto sample = sample_of(std::vector<double>{3});
    EXPECT_EQ(sample.mean, 3);
    EXPECT_EQ(sample.std, 0);
    EXPECT_EQ(sample.half_width_95, 0);
}

TEST(StatisticsTest, NoCostsGiveZeros) {
    EXPECT_EQ(sample_of({}).mean, 0);
}

TEST(StatisticsTest, LargeOffsetsDoNotCancel) {
    const auto sample = sample_of(std::vector<double>{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
    EXPECT_DOUBLE_EQ(sample.mean, 1e9 + 10);
    EXPECT_DOUBLE_EQ(sample.std * sample.std, 30);
}

}  // namespace
}  // namespace lockstep::runtime
