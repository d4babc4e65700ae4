#include "io/page/packed.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::io {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(PackedTest, CountsStepsAboveTheLeast) {
    // 0 to 2.5 in steps of 1e-5: 250,000 is 61·4096 + 2·64 + 16
    EXPECT_EQ(packed({0, 2.5, nan}, 2.5), "0|-5|AAA9CQ___");
    EXPECT_THAT(unpacked("-7|2|AAAAAB"), testing::ElementsAre(-700, -600));
}

TEST(PackedTest, TellsAConstantOnce) {
    EXPECT_EQ(packed(std::vector<double>(60, 0.0), 0), "0|-6|*60");
    EXPECT_EQ(unpacked(packed(std::vector<double>(7, 1.25e9), 0)), std::vector<double>(7, 1.25e9));
}

TEST(PackedTest, OfNothingIsNothing) {
    EXPECT_TRUE(unpacked(packed({}, 5)).empty());
    EXPECT_TRUE(std::isnan(unpacked(packed({nan, nan}, 0)).at(1)));
}

TEST(PackedTest, IsFineAgainstTheSpanInThreeCharacters) {
    std::mt19937 random(7);
    for (int decade = -20; decade <= 20; ++decade) {
        std::uniform_real_distribution<double> size(-1, 3);
        const double scale = std::pow(10.0, decade);
        std::vector<double> values(40);
        for (double& value : values) {
            value = scale * size(random);
        }
        const std::string text = packed(values, 0);
        const auto back = unpacked(text);
        ASSERT_EQ(back.size(), values.size());
        EXPECT_LE(text.size(), 3 * values.size() + 14);
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_NEAR(back[i], values[i], 5.1e-5 * scale);
        }
    }
}

TEST(PackedTest, KeepsSmallDifferencesOfLargeNumbers) {
    const std::vector<double> values = {1.23456789e12, 1.23456790e12};
    EXPECT_EQ(unpacked(packed(values, 0)), values);
    EXPECT_EQ(unpacked(packed({1e300, -1e300}, 0)), (std::vector<double>{1e300, -1e300}));
}

}  // namespace
}  // namespace lockstep::io
