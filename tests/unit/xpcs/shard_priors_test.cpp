// Priors and bounds of consensus sampling: those of the user, in every shard, and once.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lockstep/xpcs/consensus.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"

namespace lockstep::xpcs {
namespace {

class ShardPriorsTest : public testing::Test {
protected:
    ShardPriorsTest() {
        fitting_.sigma = 0.004;
        fitting_.start = {1e4, -0.5, 500};
        const auto box = fitting_.box();
        for (std::size_t p = 0; p < box.lower.size(); ++p) {
            sampling_.posterior.physical.push_back(
                {Prior::Kind::uniform, 0, 1, box.lower[p], box.upper[p]});
        }
        sampling_.draws = 2000;
        fit_ = fit(data_, fitting_, alone_.team);
    }

    SampleResult whole() { return sample(data_, fitting_, fit_, sampling_, alone_.team); }
    SampleResult combined(int shards, Combination combination = Combination::precision) {
        ConsensusOptions how;
        how.shards = shards;
        how.combination = combination;
        return consensus(data_, fitting_, fit_, sampling_, how, alone_.team).draws;
    }
    /// Of D0, a standard deviation of which is about 190 without a prior.
    Prior& prior() { return sampling_.posterior.physical[0]; }

    test::Alone alone_{2};
    Measurement data_ = test::peer_measurement("st_7k");
    FitOptions fitting_;
    SampleOptions sampling_;
    FitResult fit_;
};

TEST_F(ShardPriorsTest, ANarrowPriorActsInEveryShard) {
    prior() = {Prior::Kind::normal, 8400, 60, 100, 1e5};
    const auto full = whole().summary(0);
    ASSERT_LT(full.sd, 65);

    for (const auto combination : {Combination::precision, Combination::density_product}) {
        const auto shards = combined(2, combination).summary(0);

        EXPECT_NEAR(shards.mean, full.mean, 0.3 * full.sd);
        EXPECT_NEAR(shards.sd / full.sd, 1, 0.15);
    }
}

// K shards with the whole prior each would count it K times: a deviation near 60 / √4.
TEST_F(ShardPriorsTest, AnInformativePriorCountsOnce) {
    prior() = {Prior::Kind::normal, 8400, 60, 100, 1e5};

    const auto four = combined(4).summary(0);

    EXPECT_GT(four.sd, 0.85 * whole().summary(0).sd);
    EXPECT_GT(four.sd, 1.5 * 60 / std::sqrt(4.0));
}

TEST_F(ShardPriorsTest, ABoundCutsEveryShard) {
    const double sd = whole().summary(0).sd;
    prior().upper = fit_.physical[0] + 0.5 * sd;
    const double mean = whole().summary(0).mean;

    const auto cut = combined(2, Combination::density_product).summary(0);

    // Without the bound the mean is the fit's, half a deviation below it.
    EXPECT_LT(mean, fit_.physical[0] - 0.2 * sd);
    EXPECT_LT(cut.mean, fit_.physical[0] - 0.2 * sd);
}

TEST_F(ShardPriorsTest, CorrelationsAreKept) {
    const auto difference = compare_draws(combined(2), whole());

    EXPECT_LT(difference.largest_correlation_difference(), 0.15);
}

}  // namespace
}  // namespace lockstep::xpcs
