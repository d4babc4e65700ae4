// Four elementary functions at a time, against the C library's.
#include "xpcs/model/lanes.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lockstep::xpcs::lanes {
namespace {

TEST(Lanes, ExponentialIsNearlyExact) {
    for (double x = -700; x < 700; x += 0.37) {
        const Four found = exp(Four{x, x / 2, x / 100, -x});
        EXPECT_NEAR(found[0] / std::exp(x), 1, 5e-16) << x;
        EXPECT_NEAR(found[1] / std::exp(x / 2), 1, 5e-16) << x;
        EXPECT_NEAR(found[2] / std::exp(x / 100), 1, 5e-16) << x;
        EXPECT_NEAR(found[3] / std::exp(-x), 1, 5e-16) << x;
    }
}

TEST(Lanes, ExponentialVanishesBelowTheSmallestNormalNumber) {
    const Four found = exp(Four{-709, -1e4, -1e300, 0});
    EXPECT_EQ(found[0], 0);
    EXPECT_EQ(found[1], 0);
    EXPECT_EQ(found[2], 0);
    EXPECT_EQ(found[3], 1);
}

TEST(Lanes, SineAndCosineAreNearlyExactInAllQuadrants) {
    for (double x = -1000; x < 1000; x += 0.113) {
        const auto [sine, cosine] = sine_cosine(Four{x, x * 1e-3, x * 1e4, -x});
        EXPECT_NEAR(sine[0], std::sin(x), 3e-16) << x;
        EXPECT_NEAR(cosine[0], std::cos(x), 3e-16) << x;
        EXPECT_NEAR(sine[1], std::sin(x * 1e-3), 3e-16) << x;
        EXPECT_NEAR(cosine[2], std::cos(x * 1e4), 3e-16) << x;
        EXPECT_NEAR(sine[3], std::sin(-x), 3e-16) << x;
    }
}

TEST(Lanes, FoldAddsInAFixedOrder) {
    EXPECT_EQ(fold(Four{1e16, 1, -1e16, 1}), 2);
}

}  // namespace
}  // namespace lockstep::xpcs::lanes
