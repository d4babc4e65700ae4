#include "lockstep/xpcs/nlsq/latin_hypercube.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace lockstep::xpcs::nlsq {
namespace {

TEST(LatinHypercubeTest, HasAPointInEachSliceOfEachCoordinate) {
    const std::vector<double> points = latin_hypercube(7, 13, 4);
    ASSERT_EQ(points.size(), 52U);
    for (std::size_t d = 0; d < 4; ++d) {
        std::set<int> slices;
        for (std::size_t i = 0; i < 13; ++i) {
            slices.insert(static_cast<int>(std::floor(points[i * 4 + d] * 13)));
        }
        EXPECT_EQ(slices.size(), 13U);
        EXPECT_EQ(*slices.begin(), 0);
        EXPECT_EQ(*slices.rbegin(), 12);
    }
}

TEST(LatinHypercubeTest, IsAFunctionOfTheSeed) {
    EXPECT_EQ(latin_hypercube(1, 5, 2), latin_hypercube(1, 5, 2));
    EXPECT_NE(latin_hypercube(1, 5, 2), latin_hypercube(2, 5, 2));
}

// The coordinates are shuffled apart: no two have the same order.
TEST(LatinHypercubeTest, CoordinatesAreNotAligned) {
    const std::vector<double> points = latin_hypercube(3, 200, 2);
    double covariance = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        covariance += (points[2 * i] - 0.5) * (points[2 * i + 1] - 0.5) / 200;
    }
    EXPECT_LT(std::abs(covariance * 12), 4 / std::sqrt(200.0));  // four standard errors
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
