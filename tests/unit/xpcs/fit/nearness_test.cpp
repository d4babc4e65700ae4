// Values near their bounds are told.
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {
namespace {

using nlsq::AtBound;

/// A value between 0 and 100.
FitResult with_value(double value, AtBound bound = AtBound::no) {
    FitResult result;
    result.values = {value};
    result.lower = {0};
    result.upper = {100};
    result.bounds = {bound};
    return result;
}

Nearness near(double value, double error) {
    const std::vector<double> errors{error};
    return nearness_to_bounds(with_value(value), errors).front();
}

TEST(Nearness, WithinAHundredthOfTheErrorIsThere) {
    EXPECT_EQ(near(0.009, 1).at, AtBound::lower);
    EXPECT_EQ(near(99.991, 1).at, AtBound::upper);
    EXPECT_EQ(near(0.02, 1).at, AtBound::no);
    EXPECT_EQ(near(50, 1e6).at, AtBound::no) << "an error wider than the bounds";
    EXPECT_TRUE(near(50, 1e6).reaches_lower && near(50, 1e6).reaches_upper);
}

// What a solver may leave: a ten-millionth of the value.
TEST(Nearness, WithinAMillionthOfTheWidthIsThereUnlessTheDataTellItApart) {
    EXPECT_EQ(near(100 - 1e-5, 1e-4).at, AtBound::upper);
    EXPECT_EQ(near(100 - 1e-5, std::nan("")).at, AtBound::upper);
    EXPECT_EQ(near(1e-5, 1e-7).at, AtBound::no);
    const std::vector<double> none{std::nan("")};
    EXPECT_EQ(nearness_to_bounds(with_value(1e-5), none, 0).front().at, AtBound::no);
    EXPECT_EQ(nearness_to_bounds(with_value(1), none, 0.1).front().at, AtBound::lower);
}

TEST(Nearness, AnErrorThatGoesBeyondABoundIsCut) {
    EXPECT_TRUE(near(5, 10).reaches_lower);
    EXPECT_FALSE(near(5, 10).reaches_upper);
    EXPECT_TRUE(near(50, 60).reaches_lower && near(50, 60).reaches_upper);
    EXPECT_FALSE(near(50, 49).reaches_lower || near(50, 49).reaches_upper);
    EXPECT_FALSE(near(0.009, 1).reaches_lower) << "it is there";
}

TEST(Nearness, WhatIsHeldThereIsThere) {
    const std::vector<double> errors{std::nan("")};
    const auto of = nearness_to_bounds(with_value(100, AtBound::upper), errors).front();
    EXPECT_EQ(of.at, AtBound::upper);
    EXPECT_FALSE(of.reaches_lower || of.reaches_upper);
}

TEST(Nearness, InfiniteBoundsAreNowhereNear) {
    auto result = with_value(3);
    result.lower = {-std::numeric_limits<double>::infinity()};
    result.upper = {std::numeric_limits<double>::infinity()};
    const std::vector<double> errors{100};
    const auto of = nearness_to_bounds(result, errors).front();
    EXPECT_EQ(of.at, AtBound::no);
    EXPECT_FALSE(of.reaches_lower || of.reaches_upper);
}

}  // namespace
}  // namespace lockstep::xpcs
