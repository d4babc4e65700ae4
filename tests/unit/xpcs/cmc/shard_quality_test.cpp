#include "lockstep/xpcs/cmc/shard_quality.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::ElementsAre;
using enum ShardVerdict;

ShardResult shard(double mean, double variance) {
    return {{{mean}, {variance}}, 0, 1};
}

TEST(ShardQualityTest, EachFaultHasItsName) {
    std::vector<ShardResult> shards{
        shard(1, 1), shard(1.1, 1), shard(0.9, 1), shard(1.2, 1), shard(1.05, 1)};
    shards.push_back(shard(std::nan(""), 1));
    shards.push_back({});
    shards.push_back(shard(1, 1));
    shards.back().divergence_rate = 0.11;
    shards.push_back(shard(1, 1));
    shards.back().rhat = std::nan("");
    shards.push_back(shard(1, 1e-7));
    shards.push_back(shard(40, 1));

    EXPECT_THAT(
        judge_shards(shards),
        ElementsAre(
            kept, kept, kept, kept, kept, failed, failed, divergent, unmixed, degenerate, outlier));
    EXPECT_EQ(to_string(outlier), "outlier");
}

TEST(ShardQualityTest, TwoShardsCannotAccuseEachOther) {
    EXPECT_THAT(judge_shards(std::vector{shard(1, 1), shard(1000, 1e-9)}), ElementsAre(kept, kept));
}

TEST(ShardQualityTest, LimitsCanBeSet) {
    std::vector<ShardResult> shards(4, shard(1, 1));
    shards[0].divergence_rate = 0.03;
    EXPECT_THAT(judge_shards(shards, {.divergence_rate = 0.02}),
                ElementsAre(divergent, kept, kept, kept));
}

TEST(ShardQualityTest, DifferentDimensionsAreRefused) {
    const ShardResult wide{{{0, 0}, {1, 0, 0, 1}}, 0, 1};
    EXPECT_THROW(judge_shards(std::vector{shard(1, 1), shard(2, 1), wide}), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
