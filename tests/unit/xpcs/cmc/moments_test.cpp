#include "lockstep/xpcs/cmc/moments.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::ElementsAre;

TEST(MomentsTest, OfDrawsByHand) {
    const std::vector<double> draws{1, 10, 2, 30, 3, 20};
    const Moments moments = moments_of({draws.data(), 3, 2});
    EXPECT_THAT(moments.mean, ElementsAre(2, 20));
    EXPECT_THAT(moments.covariance, ElementsAre(1, 5, 5, 100));
    EXPECT_EQ(moments.sd(1), 10);
    EXPECT_THROW(moments_of({draws.data(), 1, 2}), InputError);
}

TEST(MomentsTest, ALargeOffsetDoesNotCancel) {
    const std::vector<double> draws{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    EXPECT_DOUBLE_EQ(moments_of({draws.data(), 4, 1}).variance(0), 30);
}

TEST(MomentsTest, NormalDrawsHaveThem) {
    const Moments wanted{{3, -1}, {4, 1.8, 1.8, 1}};
    constexpr int count = 20000;
    const auto draws = normal_draws(wanted, count, 1, 0);
    const PosteriorDifference difference = compare(moments_of({draws.data(), count, 2}), wanted);
    EXPECT_LT(difference.largest_shift(), 4 / std::sqrt(count));
    EXPECT_LT(difference.largest_correlation_difference(), 4 * 0.19 / std::sqrt(count));
    EXPECT_NEAR(difference.width_ratio[0], 1, 4 / std::sqrt(2.0 * count));
    EXPECT_NE(normal_draws(wanted, 3, 1, 1), normal_draws(wanted, 3, 1, 0));
}

TEST(MomentsTest, DifferencesByHand) {
    const Moments found{{3, 0}, {4, 1, 1, 1}};
    const Moments reference{{2, 0}, {1, 0, 0, 4}};
    const PosteriorDifference difference = compare(found, reference);
    EXPECT_THAT(difference.shift, ElementsAre(1, 0));
    EXPECT_THAT(difference.width_ratio, ElementsAre(2, 0.5));
    EXPECT_THAT(difference.correlation_difference, ElementsAre(0, 0.5, 0.5, 0));
    EXPECT_EQ(difference.largest_shift(), 1);
    EXPECT_EQ(difference.largest_correlation_difference(), 0.5);
    EXPECT_THROW(compare(found, {{1}, {1}}), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
