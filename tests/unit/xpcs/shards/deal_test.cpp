// Who gets which pairs of frames.
#include "xpcs/shards/deal.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int frames = 30;
constexpr int angles = 3;

/// Values that say where they stand.
Measurement labelled() {
    Measurement data;
    data.frames = frames;
    data.phi = {0, 45, 90};
    std::vector<double> c2;
    for (int k = 0; k < angles * pair_count(frames); ++k) {
        c2.push_back(k);
    }
    data.c2 = c2;
    return data;
}

class ShardDealTest : public testing::TestWithParam<std::tuple<Sharding, int>> {
protected:
    static ShardPlan plan() { return {std::get<1>(GetParam()), std::get<0>(GetParam())}; }
};

TEST_P(ShardDealTest, EveryValueIsOneShards) {
    const auto data = labelled();
    const ShardDeal deal(frames, angles, plan(), 7);
    std::vector<double> found;
    for (int shard = 0; shard < plan().shards; ++shard) {
        const auto chosen = deal.select(data, shard);
        std::int64_t count = 0;
        for (const auto& values : chosen.c2) {
            EXPECT_TRUE(std::ranges::is_sorted(values));
            found.insert(found.end(), values.begin(), values.end());
            count += std::ssize(values);
        }
        EXPECT_EQ(count, deal.pairs(shard));
    }
    std::ranges::sort(found);
    ASSERT_EQ(found.size(), data.c2.size());
    EXPECT_TRUE(std::ranges::equal(found, data.c2));
}

TEST_P(ShardDealTest, SharesDifferByOnePairOfFramesAtMost) {
    const ShardDeal deal(frames, angles, plan(), 7);
    std::vector<std::int64_t> pairs;
    for (int shard = 0; shard < plan().shards; ++shard) {
        pairs.push_back(deal.pairs(shard));
    }
    const auto [least, most] = std::ranges::minmax(pairs);
    const bool is_uneven =  // one angle has two shards, others one
        plan().sharding == Sharding::per_angle && plan().shards % angles != 0;
    EXPECT_LE(most - least, is_uneven ? pair_count(frames) / 2 + 1 : angles);
}

TEST_P(ShardDealTest, IsAFunctionOfTheSeed) {
    const auto data = labelled();
    const auto first = [&](std::uint64_t seed) {
        return ShardDeal(frames, angles, plan(), seed).select(data, 0).c2;
    };
    EXPECT_EQ(first(7), first(7));
    if (plan().shards > angles) {
        EXPECT_NE(first(7), first(8));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shards,
    ShardDealTest,
    testing::Combine(testing::Values(Sharding::random, Sharding::stratified, Sharding::per_angle),
                     testing::Values(3, 4, 6, 10)));

TEST(StratifiedDealTest, EachShardHasItsShareOfEveryLag) {
    constexpr int shards = 5;
    const PairDeal deal(frames, shards, true, 7);
    for (int shard = 0; shard < shards; ++shard) {
        const auto chosen = deal.select(shard);
        std::vector<int> of_lag(frames);
        for (std::size_t k = 0; k < chosen.rows.size(); ++k) {
            ++of_lag[at(chosen.columns[k] - chosen.rows[k])];
        }
        for (int lag = 1; lag < frames; ++lag) {
            const int fair = (frames - lag) / shards;  // turns go on from lag to lag
            EXPECT_GE(of_lag[at(lag)], fair - 1) << lag;
            EXPECT_LE(of_lag[at(lag)], fair + 2) << lag;
        }
    }
}

TEST(StratifiedDealTest, TurnsAreRandom) {
    const PairDeal deal(frames, 5, true, 7);
    const auto chosen = deal.select(0);
    std::set<int> starts;  // of the shard's pairs of neighbours, in the rounds of five
    for (std::size_t k = 0; k < chosen.rows.size(); ++k) {
        if (chosen.columns[k] - chosen.rows[k] == 1) {
            starts.insert(chosen.rows[k] % 5);
        }
    }
    EXPECT_GT(starts.size(), 2U);
}

TEST(PerAngleDealTest, AShardIsOfOneAngle) {
    const auto data = labelled();
    const ShardDeal deal(frames, angles, {7, Sharding::per_angle}, 7);
    for (int shard = 0; shard < 7; ++shard) {
        const auto chosen = deal.select(data, shard);
        ASSERT_EQ(chosen.c2.size(), 1U);
        for (const double value : chosen.c2[0]) {
            EXPECT_EQ(static_cast<std::int64_t>(value) / pair_count(frames), shard % angles);
        }
    }
    EXPECT_EQ(deal.pairs(0), pair_count(frames) / 3);  // shards 0, 3 and 6
    EXPECT_EQ(deal.pairs(0) + deal.pairs(3) + deal.pairs(6), pair_count(frames));
}

}  // namespace
}  // namespace lockstep::xpcs
