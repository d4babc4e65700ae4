#include "lockstep/base/math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <gtest/gtest.h>

#include "lockstep/base/digest.hpp"

namespace lockstep::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

/// Whole numbers that look random (SplitMix64), the same everywhere.
class Bits {
public:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
    }
    /// Any positive finite double, every exponent equally likely.
    double positive() { return std::bit_cast<double>(1 + next() % 0x7fefffffffffffff); }

private:
    std::uint64_t state_ = 0;
};

/// Distance from the true value in units of the last place of a double of its size.
double ulps(double value, long double truth) {
    const int exponent = std::max(std::ilogb(static_cast<double>(truth)), -1022);
    const long double unit = std::ldexp(1.0L, exponent - 52);
    return static_cast<double>(std::abs(static_cast<long double>(value) - truth) / unit);
}

TEST(MathTest, ExpIsWithinOneUlp) {
    Bits bits;
    double worst = 0;
    for (int i = 0; i < 300'000; ++i) {
        const double x = i % 3 == 0 ? bits.between(-1, 1) : bits.between(-708, 709.7);
        worst = std::max(worst, ulps(exp(x), std::exp(static_cast<long double>(x))));
    }
    EXPECT_LT(worst, 0.7);
}

TEST(MathTest, ExpIsWithinOneUlpAmongSubnormals) {
    Bits bits;
    double worst = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double x = bits.between(-745, -708);
        worst = std::max(worst, ulps(exp(x), std::exp(static_cast<long double>(x))));
    }
    EXPECT_LE(worst, 1);
}

TEST(MathTest, ExpKnowsItsEdges) {
    EXPECT_EQ(exp(0.0), 1);
    EXPECT_EQ(exp(-0.0), 1);
    EXPECT_EQ(exp(smallest), 1);
    EXPECT_EQ(exp(-infinity), 0);
    EXPECT_EQ(exp(infinity), infinity);
    EXPECT_EQ(exp(709.79), infinity);
    EXPECT_EQ(exp(1e300), infinity);
    EXPECT_EQ(exp(-745.14), 0);
    EXPECT_EQ(exp(-1e300), 0);
    EXPECT_EQ(exp(-745.13), smallest);
    EXPECT_TRUE(std::isnan(exp(not_a_number)));
    EXPECT_TRUE(std::isnan(exp(-not_a_number)));
}

TEST(MathTest, LogIsWithinOneUlp) {
    Bits bits;
    double worst = 0;
    for (int i = 0; i < 300'000; ++i) {
        const double x = i % 3 == 0 ? bits.between(0.5, 2) : bits.positive();
        worst = std::max(worst, ulps(log(x), std::log(static_cast<long double>(x))));
    }
    EXPECT_LT(worst, 0.51);
}

TEST(MathTest, LogIsWithinOneUlpNearOne) {
    Bits bits;
    double worst = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double x =
            1 + std::ldexp(bits.between(-1, 1), static_cast<int>(bits.next() % 52) * -1);
        if (x > 0 && x != 1) {
            worst = std::max(worst, ulps(log(x), std::log(static_cast<long double>(x))));
        }
    }
    EXPECT_LT(worst, 0.51);
}

TEST(MathTest, LogKnowsItsEdges) {
    EXPECT_EQ(log(1), 0);
    EXPECT_FALSE(std::signbit(log(1)));
    EXPECT_EQ(log(0.0), -infinity);
    EXPECT_EQ(log(-0.0), -infinity);
    EXPECT_EQ(log(infinity), infinity);
    EXPECT_TRUE(std::isnan(log(-1)));
    EXPECT_TRUE(std::isnan(log(-infinity)));
    EXPECT_TRUE(std::isnan(log(not_a_number)));
    EXPECT_LE(ulps(log(smallest), std::log(static_cast<long double>(smallest))), 1);
    EXPECT_LE(ulps(log(largest), std::log(static_cast<long double>(largest))), 1);
}

TEST(MathTest, PowIsWithinOneUlp) {
    Bits bits;
    double worst = 0;
    for (int i = 0; i < 300'000; ++i) {
        const double x = bits.positive();
        const double y = bits.between(-700, 700) / std::log(x);
        worst = std::max(
            worst,
            ulps(pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))));
    }
    EXPECT_LT(worst, 0.7);
}

TEST(MathTest, PowIsWithinOneUlpForDiscountFactors) {
    Bits bits;
    double worst = 0;
    for (int i = 0; i < 100'000; ++i) {
        const double x = 1 + bits.between(0, 0.3);
        const double y = -static_cast<double>(bits.next() % 40'000) / 365.25;
        worst = std::max(
            worst,
            ulps(pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))));
    }
    EXPECT_LT(worst, 0.7);
}

TEST(MathTest, PowIsExactWhereTheResultIsRepresentable) {
    Bits bits;
    for (int i = 0; i < 10'000; ++i) {
        const double x = std::abs(bits.between(-1e6, 1e6));
        EXPECT_EQ(pow(x, 1), x);
        const double small = static_cast<double>(bits.next() >> 38);
        EXPECT_EQ(pow(small, 2), small * small);
        EXPECT_EQ(pow(small * small, 0.5), small);
    }
    EXPECT_EQ(pow(3, 33), 5559060566555523);
    EXPECT_EQ(pow(2, -1074), smallest);
    EXPECT_EQ(pow(10, 22), 1e22);
    EXPECT_EQ(pow(0.25, -0.5), 2);
}

TEST(MathTest, PowKnowsItsEdges) {
    for (const double x : {0.0, 0.5, 1.0, 7.0, -3.0, infinity, not_a_number}) {
        EXPECT_EQ(pow(x, 0), 1) << x;
    }
    for (const double y : {-infinity, -2.0, 3.5, infinity, not_a_number}) {
        EXPECT_EQ(pow(1, y), 1) << y;
    }
    EXPECT_EQ(pow(0, 2), 0);
    EXPECT_EQ(pow(0, -2), infinity);
    EXPECT_EQ(pow(infinity, 2), infinity);
    EXPECT_EQ(pow(infinity, -2), 0);
    EXPECT_EQ(pow(2, infinity), infinity);
    EXPECT_EQ(pow(2, -infinity), 0);
    EXPECT_EQ(pow(0.5, infinity), 0);
    EXPECT_EQ(pow(0.5, -infinity), infinity);
    EXPECT_EQ(pow(largest, 2), infinity);
    EXPECT_EQ(pow(smallest, 2), 0);
    EXPECT_EQ(pow(2, 1e308), infinity);
    EXPECT_EQ(pow(2, -1e308), 0);
    EXPECT_TRUE(std::isnan(pow(-2, 3)));
    EXPECT_TRUE(std::isnan(pow(not_a_number, 1)));
    EXPECT_TRUE(std::isnan(pow(2, not_a_number)));
}

// A record of what these functions give, so that another compiler or processor that gives other
// bits is noticed.
TEST(MathTest, GivesTheBitsOfTheRecordOverAMillionArguments) {
    Bits bits;
    DigestBuilder exps;
    DigestBuilder logs;
    DigestBuilder pows;
    for (int i = 0; i < 1'000'000; ++i) {
        const double x = bits.positive();
        exps.add(exp(bits.between(-746, 710)));
        logs.add(log(x));
        pows.add(pow(x, bits.between(-2, 2)));
    }
    EXPECT_EQ(to_string(exps.digest()), "69c774c662da95dad5999dd0edb022c6");
    EXPECT_EQ(to_string(logs.digest()), "d46084888f09e2e769169551f488fbfd");
    EXPECT_EQ(to_string(pows.digest()), "7dbc5aa298ec3c5a9d36f29d025205b6");
}

}  // namespace
}  // namespace lockstep::math
