#include <cmath>
#include <initializer_list>
#include <limits>

#include <gtest/gtest.h>

#include "lockstep/base/math.hpp"

namespace lockstep::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// P(X < x) of a standard normal variable.
long double normal_probability(long double x) {
    return std::erfc(-x / std::sqrt(2.0L)) / 2;
}

TEST(NormalQuantileTest, GivesTabulatedValues) {
    EXPECT_EQ(normal_quantile(0.5), 0);
    EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 2e-15);
    EXPECT_NEAR(normal_quantile(0.25), -0.6744897501960817, 2e-15);
    EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 4e-15);
    EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-14);
}

// d log P / dx = density / P, so that a relative error of P is one of about x^2 times that of x.
TEST(NormalQuantileTest, InvertsTheErrorFunction) {
    for (double p = 1e-300; p < 0.5; p *= 1.37) {
        const double x = normal_quantile(p);
        const long double probability = normal_probability(static_cast<long double>(x));
        const auto error =
            static_cast<double>(std::abs(probability / static_cast<long double>(p) - 1));
        EXPECT_LT(error, 4e-15 * (1 + x * x)) << "p = " << p;
    }
}

TEST(NormalQuantileTest, IsOddAroundOneHalf) {
    for (double p = 0x1p-50; p < 0.5; p += 0x1p-10) {
        EXPECT_EQ(normal_quantile(1 - p), -normal_quantile(p)) << "p = " << p;
    }
}

TEST(NormalQuantileTest, RisesAcrossTheBordersOfItsPieces) {
    for (const double border : {0.075, 0.925, 1.3887943864964021e-11}) {
        EXPECT_LE(normal_quantile(border * (1 - 1e-13)), normal_quantile(border * (1 + 1e-13)));
    }
}

TEST(NormalQuantileTest, KnowsItsEdges) {
    EXPECT_EQ(normal_quantile(0), -infinity);
    EXPECT_EQ(normal_quantile(1), infinity);
    EXPECT_TRUE(std::isnan(normal_quantile(-0x1p-60)));
    EXPECT_TRUE(std::isnan(normal_quantile(1.5)));
    EXPECT_TRUE(std::isnan(normal_quantile(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace lockstep::math
