#include "io/page/axis.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Range range(double low, double high) {
    return {low, high, false};
}

TEST(AxisTest, RangeHoldsWhatCanBeDrawn) {
    Range found;
    found.include({nan, 3.0, -infinity, -2.0, 1e301});

    EXPECT_FALSE(found.empty);
    EXPECT_EQ(found.low, -2.0);
    EXPECT_EQ(found.high, 3.0);

    Range positive;
    positive.include({-1.0, 0.0, 5.0}, true);
    EXPECT_EQ(positive.low, 5.0);
}

TEST(AxisTest, EndsAtRoundNumbers) {
    const Axis axis = value_axis(range(3.0, 97.0), false, 5);

    EXPECT_THAT(axis.labels, ElementsAre("0", "20", "40", "60", "80", "100"));
    EXPECT_EQ(axis.fraction(25.0), 0.25);
    EXPECT_TRUE(std::isnan(axis.fraction(nan)));
    EXPECT_TRUE(std::isnan(axis.fraction(infinity)));
}

TEST(AxisTest, LargeNumbersShareOneSuffix) {
    EXPECT_THAT(value_axis(range(0.0, 81420.0), false, 5).labels,
                ElementsAre("0", "20,000", "40,000", "60,000", "80,000", "100,000"));
    EXPECT_THAT(value_axis(range(1.1e6, 1.4e6), false, 3).labels,
                ElementsAre("1,100,000", "1,200,000", "1,300,000", "1,400,000"));
    EXPECT_THAT(value_axis(range(0.0, 9000.0), false, 2).labels,
                ElementsAre("0", "5,000", "10,000"));
    EXPECT_THAT(value_axis(range(-2e9, 0.0), false, 2).labels, ElementsAre("−2G", "−1G", "0"));
}

TEST(AxisTest, SmallNumbersHaveTheDecimalsOfTheirDistance) {
    EXPECT_THAT(value_axis(range(0.0, 0.1), false, 2).labels, ElementsAre("0", "0.05", "0.10"));
    EXPECT_THAT(value_axis(range(1e-7, 3e-7), false, 2).labels,
                ElementsAre("1e-7", "2e-7", "3e-7"));
}

TEST(AxisTest, AnAxisFromZeroHoldsZero) {
    EXPECT_EQ(value_axis(range(80.0, 97.0), true, 5).low, 0.0);
    EXPECT_EQ(value_axis(range(-80.0, -70.0), true, 5).high, 0.0);
    EXPECT_EQ(value_axis(range(-5.0, 5.0), true, 5).low, -6.0) << "steps of 2";
    EXPECT_EQ(value_axis(range(0.0, 0.0), true, 5).high, 1.0);
}

TEST(AxisTest, AConstantRunsThroughTheMiddle) {
    const Axis axis = value_axis(range(100.0, 100.0), false, 5);

    EXPECT_LT(axis.low, 100.0);
    EXPECT_GT(axis.high, 100.0);
    EXPECT_LE(axis.ticks.size(), 8U);
}

TEST(AxisTest, AnEmptyRangeHasNoTicks) {
    EXPECT_THAT(value_axis({}, true, 5).ticks, IsEmpty());
    EXPECT_THAT(log_axis({}, 5).ticks, IsEmpty());
    EXPECT_THAT(position_axis({}, true, 5).ticks, IsEmpty());
}

TEST(AxisTest, LogarithmicTicksAreDecadesOrTheirFifthsAndHalves) {
    const Axis narrow = log_axis(range(3e8, 9e8), 5);
    EXPECT_THAT(narrow.labels, ElementsAre("0.2G", "0.5G", "1G"));

    const Axis wide = log_axis(range(1e-9, 4e7), 6);
    EXPECT_EQ(wide.low, 1e-9);
    EXPECT_EQ(wide.high, 5e7);
    EXPECT_THAT(wide.labels, ElementsAre("1e-9", "1e-6", "0.001", "1", "1,000", "1,000,000"));
    EXPECT_NEAR(wide.fraction(std::sqrt(1e-9 * 5e7)), 0.5, 1e-12);
    EXPECT_TRUE(std::isnan(wide.fraction(0.0)));
    EXPECT_TRUE(std::isnan(wide.fraction(-1.0)));
}

TEST(AxisTest, PositionsEndWithTheDataAndWholeOnesStayWhole) {
    const Axis axis = position_axis(range(1.0, 4.0), true, 8);

    EXPECT_EQ(axis.low, 1.0);
    EXPECT_EQ(axis.high, 4.0);
    EXPECT_THAT(axis.labels, ElementsAre("1", "2", "3", "4"));
    EXPECT_THAT(position_axis(range(7.0, 7.0), true, 8).labels, ElementsAre("7"));
}

TEST(AxisTest, NoRangeIsTooStrange) {
    for (const double low : {-1e300, -1.0, 0.0, 5e-324, 1e-290, 1.0, 1e299}) {
        for (const double high :
             {-1e300, -1.0, 0.0, 5e-324, 1e-290, 1.0, 1.0 + 1e-15, 1e299, 1e300}) {
            if (low <= high) {
                const Axis axis = value_axis(range(low, high), false, 5);
                const double hair = 1e-8 * (axis.high - axis.low);
                EXPECT_LE(axis.low, low + hair);
                EXPECT_GE(axis.high, high - hair);
                EXPECT_LE(axis.ticks.size(), 9U);
                EXPECT_LE(position_axis(range(low, high), true, 8).ticks.size(), 11U);
                if (low > 0.0) {
                    EXPECT_LE(log_axis(range(low, high), 5).ticks.size(), 6U);
                }
            }
        }
    }
}

TEST(AxisTest, ValuesReadWell) {
    EXPECT_EQ(value_text(0.0), "0");
    EXPECT_EQ(value_text(1234.5), "1,234.5");
    EXPECT_EQ(value_text(-0.123456), "−0.12346");
    EXPECT_EQ(value_text(123456.0), "123,456");
    EXPECT_EQ(value_text(81423456.0), "81,423,456");
    EXPECT_EQ(value_text(1e-7), "1e-7");
    EXPECT_EQ(value_text(1.5e20), "1.5e20");
    EXPECT_EQ(value_text(nan), "–");
    EXPECT_EQ(value_text(-infinity), "−∞");
}

}  // namespace
}  // namespace lockstep::io
