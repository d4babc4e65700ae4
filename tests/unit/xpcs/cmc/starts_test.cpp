#include "lockstep/xpcs/cmc/starts.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/xpcs/cmc/moments.hpp"

#include "support/xpcs/chains.hpp"

namespace lockstep::xpcs::cmc {
namespace {

// Positive where x[0] > 10 only.
double right_half(std::span<const double> x, std::span<double> gradient) {
    gradient[0] = gradient[1] = 0;
    return x[0] > 10 ? 0 : -std::numeric_limits<double>::infinity();
}

const LinearCoordinates around({10, -3}, std::vector<double>{1, 0.5, 0.5, 4});

TEST(StartsTest, LieWhereTheDensityIsPositiveAndAreSpreadAsAskedFor) {
    constexpr int chains = 4000;
    const auto starts = dispersed_starts(test::densities(2, right_half), around, chains, 3, 1);
    std::vector<double> all;
    for (const auto& start : starts) {
        EXPECT_GT(start[0], 10);
        all.insert(all.end(), start.begin(), start.end());
    }
    const Moments moments = moments_of({all.data(), chains, 2});
    EXPECT_NEAR(moments.mean[0], 10 + 3 * std::sqrt(2 / std::acos(-1.0)), 0.15);
    EXPECT_NEAR(moments.sd(1), 6, 0.3);
}

TEST(StartsTest, AreAFunctionOfSeedTaskAndChain) {
    const auto make = test::densities(2, right_half);
    const auto starts = dispersed_starts(make, around, 3, 2, 1, 5);
    EXPECT_EQ(dispersed_starts(make, around, 2, 2, 1, 5)[1], starts[1]);
    EXPECT_NE(starts[0], starts[1]);
    EXPECT_NE(dispersed_starts(make, around, 1, 2, 1, 6)[0], starts[0]);
    EXPECT_NE(dispersed_starts(make, around, 1, 2, 2, 5)[0], starts[0]);
}

TEST(StartsTest, WhereThereAreNoneIsSaid) {
    const LinearCoordinates left({0, 0}, std::vector<double>{1, 0, 0, 1});
    const auto make = test::densities(2, right_half);
    EXPECT_THROW(dispersed_starts(make, left, 1, 1, 1), ModelError);
    EXPECT_THROW(dispersed_starts(make, around, 0, 1, 1), InputError);
    EXPECT_THROW(dispersed_starts(make, around, 1, -1, 1), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
