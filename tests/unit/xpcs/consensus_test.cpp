// Shards of the data against the posterior of all of it.
#include "lockstep/xpcs/consensus.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

#include "support/xpcs/measurements.hpp"
#include "xpcs/shards/bytes.hpp"

namespace lockstep::xpcs {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ConsensusTest : public testing::Test {
protected:
    ConsensusTest() : ranks_(comm::make_local()), threads_(2), team_{*ranks_, threads_} {
        fitting_.sigma = 0.004;
        fitting_.start = {1e4, -0.5, 500};
        const auto box = fitting_.box();
        for (std::size_t p = 0; p < box.lower.size(); ++p) {
            Prior prior;
            prior.lower = box.lower[p];
            prior.upper = box.upper[p];
            sampling_.posterior.physical.push_back(prior);
        }
        sampling_.posterior.sigma = {
            Prior::Kind::half_normal, 0, 25, 0, std::numeric_limits<double>::infinity()};
        sampling_.draws = 2000;
        fit_ = fit(data_, fitting_, team_);
    }

    ConsensusResult combined(const ConsensusOptions& how) {
        return consensus(data_, fitting_, fit_, sampling_, how, team_);
    }
    SampleResult whole() { return sample(data_, fitting_, fit_, sampling_, team_); }

    Measurement data_ = test::peer_measurement("st_7k");
    std::unique_ptr<comm::Communicator> ranks_;
    runtime::ThreadTeam threads_;
    runtime::Team team_;
    FitOptions fitting_;
    SampleOptions sampling_;
    FitResult fit_;
};

TEST_F(ConsensusTest, OneShardIsThePosterior) {
    ConsensusOptions how;
    how.shards = 1;
    const auto difference = compare_draws(combined(how).draws, whole());
    EXPECT_LT(difference.largest_shift(), 0.08);
    for (const double ratio : difference.width_ratio) {
        EXPECT_NEAR(ratio, 1, 0.05);
    }
}

// 6,486 points; the goal of issue 12 is for shards of at least 2,400.
TEST_F(ConsensusTest, ShardsOfThousandsOfPointsAgreeWithThePosterior) {
    for (const auto combination : {Combination::precision, Combination::density_product}) {
        ConsensusOptions how;
        how.shards = 2;
        how.combination = combination;
        const auto result = combined(how);
        EXPECT_EQ(result.shards.size(), 2U);
        EXPECT_EQ(result.shards[0].pairs + result.shards[1].pairs, fit_.pairs);
        const auto difference = compare_draws(result.draws, whole());
        EXPECT_LT(difference.largest_shift(), 0.3);
        for (const double ratio : difference.width_ratio) {
            EXPECT_NEAR(ratio, 1, 0.1);
        }
    }
}

TEST_F(ConsensusTest, MarginalsLoseCorrelations) {
    for (const auto combination : {Combination::marginals, Combination::plain_marginals}) {
        ConsensusOptions how;
        how.combination = combination;
        const auto found = combined(how);
        EXPECT_EQ(found.combination, combination);
        EXPECT_GT(compare_draws(found.draws, whole()).largest_correlation_difference(), 0.3);
    }
}

TEST_F(ConsensusTest, IsTheSameForAnyNumberOfThreads) {
    sampling_.draws = 100;
    sampling_.warmup = 100;
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        sampling_.method = method;
        const auto first = digest_of(combined({}).draws);
        runtime::ThreadTeam one(1);
        runtime::Team alone{*ranks_, one};
        EXPECT_EQ(digest_of(consensus(data_, fitting_, fit_, sampling_, {}, alone).draws), first);
    }
}

TEST_F(ConsensusTest, TakesShardsThatWereDealtBeforeAndNoOthers) {
    sampling_.draws = 100;
    ConsensusOptions how;
    const auto expected = digest_of(combined(how).draws);
    const ShardPlan plan{how.shards, how.sharding, how.is_tempered};
    for (const std::uint64_t more : {0U, 1U}) {
        how.dealt = deal_shards(data_, fitting_, plan, sampling_.seed + more);
        {
            const ShardWork work(data_, fitting_, fit_, sampling_, plan, how.dealt);
            EXPECT_EQ(how.dealt.use_count(), more == 0 ? 2 : 1);
        }
        EXPECT_EQ(digest_of(combined(how).draws), expected);
    }
}

TEST_F(ConsensusTest, RefusesMoreShardsThanPairs) {
    ConsensusOptions how;
    how.shards = 2000;
    EXPECT_THAT([&] { combined(how); }, ThrowsMessage<InputError>(HasSubstr("shards are 2000")));
}

TEST_F(ConsensusTest, TooFewUsableShardsAreTold) {
    ConsensusOptions how;
    how.limits.rhat = 0;  // which none meets
    sampling_.method = SampleMethod::chains;
    sampling_.draws = 50;
    sampling_.warmup = 50;
    const auto result = combined(how);
    EXPECT_THAT(result.shortfall, HasSubstr("only 0 of 4 shards"));
    EXPECT_TRUE(result.draws.values.empty());
    EXPECT_EQ(result.shards[2].verdict, cmc::ShardVerdict::unmixed);
}

/// A farm of one's own functions instead of those of the shards.
OpenFarm farm_with(
    const std::function<runtime::TaskFunctions(const runtime::TaskFunctions&)>& change) {
    return [=](const ShardWork& work, const std::function<void(runtime::TaskFarm&)>& body) {
        runtime::FarmOptions options;
        options.workers = 3;
        body(*runtime::make_thread_farm(change(work.functions()), options));
    };
}

runtime::TaskFunctions failing_where(const runtime::TaskFunctions& functions,
                                     const std::function<bool(std::int64_t)>& fails) {
    runtime::TaskFunctions changed;
    for (const auto& [name, function] : functions) {
        changed[name] = [function = function, fails](auto input, const auto& context) {
            if (fails(context.number())) {
                throw ModelError("no luck");
            }
            return function(input, context);
        };
    }
    return changed;
}

class ConsensusFarmTest : public ConsensusTest {
protected:
    ConsensusFarmTest() {
        sampling_.method = SampleMethod::importance;
        sampling_.draws = 100;
        sampling_.warmup = 100;
    }
    ConsensusResult on(const OpenFarm& farm, const ConsensusOptions& how = {}) {
        return consensus(data_, fitting_, fit_, sampling_, how, team_, nullptr, farm);
    }
};

TEST_F(ConsensusFarmTest, AnotherProcessHasTheSameBitsFromBytesAlone) {
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        sampling_.method = method;
        const auto first = on({});
        const auto elsewhere = on([](const ShardWork& work, const auto& body) {
            const auto settings = work.settings();
            std::vector<std::vector<std::byte>> shards;
            for (int shard = 0; shard < work.shards(); ++shard) {
                shards.push_back(work.shard_bytes(shard));
            }
            const ShardWork copy(settings, [&](int shard) {
                return std::span<const std::byte>(shards[static_cast<std::size_t>(shard)]);
            });
            EXPECT_EQ(copy.settings(), settings);
            body(*runtime::make_sequential_farm(copy.functions()));
        });
        EXPECT_EQ(digest_of(elsewhere.draws), digest_of(first.draws));
        EXPECT_EQ(elsewhere.shards[1].attempts, method == SampleMethod::chains ? 4 : 1);
    }
}

TEST_F(ConsensusFarmTest, RanksShareTheShards) {
    const auto first = digest_of(on({}).draws);
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{ranks, threads};
        const auto result = consensus(data_, fitting_, fit_, sampling_, {}, team);
        EXPECT_EQ(digest_of(result.draws), first);
        EXPECT_EQ(result.shards[3].attempts, 1);
    });
}

TEST_F(ConsensusFarmTest, DamagedBytesAreRefused) {
    const ShardWork work(data_, fitting_, fit_, sampling_, {4});
    auto settings = work.settings();
    settings.pop_back();
    EXPECT_THROW(ShardWork(settings, {}), InputError);
    auto shard = work.shard_bytes(0);
    shard[8] = std::byte{0xff};  // a frame that there is not
    shard[11] = std::byte{0x7f};
    const ShardWork copy(work.settings(), [&](int) { return std::span<const std::byte>(shard); });
    EXPECT_THROW(copy.shard_bytes(0), InputError);
}

TEST_F(ConsensusFarmTest, OneShardThatFailsLeavesTheOthers) {
    std::atomic<int> tries = 0;
    const auto result = on(farm_with([&](const auto& functions) {
        return failing_where(functions, [&](std::int64_t number) {
            tries += number == 1 ? 1 : 0;
            return number == 1;
        });
    }));
    EXPECT_EQ(tries, 2);
    EXPECT_EQ(result.shards[1].verdict, cmc::ShardVerdict::failed);
    EXPECT_EQ(result.shards[1].failure, "failed: no luck");
    EXPECT_EQ(result.shards[1].attempts, 2);
    EXPECT_EQ(result.shards[2].verdict, cmc::ShardVerdict::kept);
    EXPECT_EQ(result.shortfall, "");
    EXPECT_FALSE(result.draws.values.empty());
}

TEST_F(ConsensusFarmTest, OneChainThatFailsTakesItsShardAlone) {
    sampling_.method = SampleMethod::chains;
    const auto result = on(farm_with([&](const auto& functions) {
        return failing_where(functions, [](std::int64_t number) { return number == 3; });
    }));
    EXPECT_EQ(result.shards[0].verdict, cmc::ShardVerdict::failed);
    EXPECT_EQ(result.shards[1].verdict, cmc::ShardVerdict::kept);
    EXPECT_EQ(result.shortfall, "");
}

TEST_F(ConsensusFarmTest, GivesUpWhenMostOfTheFirstTenFail) {
    ConsensusOptions how;
    how.shards = 40;
    std::atomic<int> last = 0;
    const auto farm = [&](int failing) {
        return farm_with([&, failing](const auto& functions) {
            return failing_where(functions, [&, failing](std::int64_t number) {
                last = std::max<int>(last, static_cast<int>(number));
                return number < failing;
            });
        });
    };
    const auto result = on(farm(6), how);
    EXPECT_EQ(result.shortfall, "6 of the first 10 tasks failed, the last one: no luck");
    EXPECT_LT(last, 30);
    EXPECT_EQ(result.shards[39].verdict, cmc::ShardVerdict::failed);
    EXPECT_EQ(on(farm(5), how).shortfall, "");
}

/// A farm whose draws of some shards are changed, column by column of the shard's coordinates.
OpenFarm farm_that_draws(
    const std::function<void(std::int64_t shard, int draw, std::span<double> x)>& change) {
    return farm_with([=](const runtime::TaskFunctions& functions) {
        runtime::TaskFunctions changed;
        for (const auto& [name, function] : functions) {
            changed[name] = [function = function, change](auto input, const auto& context) {
                constexpr std::size_t width = 4;  // D at three times, and sigma
                auto output = function(input, context);
                constexpr int draws = 4 * 100;
                auto task = unpack_draws(output, draws * static_cast<int>(width));
                for (int draw = 0; draw < draws; ++draw) {
                    const auto place = static_cast<std::size_t>(draw) * width;
                    change(context.number(), draw, std::span(task.values).subspan(place, width));
                }
                return pack(task);
            };
        }
        return changed;
    });
}

TEST_F(ConsensusFarmTest, AShardWithoutAnyWidthIsLeftOut) {
    std::vector<double> first;
    ConsensusOptions how;
    how.shards = 2;
    const auto result = on(farm_that_draws([&](auto shard, int draw, auto x) {
                               if (shard == 1) {
                                   first = draw == 0 ? std::vector(x.begin(), x.end()) : first;
                                   std::ranges::copy(first, x.begin());
                               }
                           }),
                           how);
    EXPECT_EQ(result.shards[0].verdict, cmc::ShardVerdict::kept);
    EXPECT_EQ(result.shards[1].verdict, cmc::ShardVerdict::degenerate);
    EXPECT_EQ(result.shortfall, "");
    EXPECT_FALSE(result.draws.values.empty());
}

// sd of D at the first time is a few hundredths of it.
void move_first(std::span<double> x, double share) {
    x[0] *= 1 + share;
}

TEST_F(ConsensusFarmTest, AShardWithTwoModesIsNotTakenForANormalOne) {
    const auto result = on(farm_that_draws([](auto shard, int draw, auto x) {
        if (shard == 2 && draw % 3 == 0) {
            move_first(x, 0.5);
        }
    }));
    EXPECT_EQ(result.combination, Combination::density_product);
    EXPECT_EQ(result.remark, "shard 2 has two modes");
    EXPECT_EQ(result.shortfall, "");

    const auto normal = on({});
    EXPECT_EQ(normal.combination, Combination::precision);
    EXPECT_EQ(normal.remark, "");
    // The other shards say which mode it is.
    EXPECT_LT(std::abs(compare_draws(result.draws, normal.draws).shift[0]), 1);
}

TEST_F(ConsensusFarmTest, DensitiesThatLieApartAreReplacedByNormalOnes) {
    ConsensusOptions how;
    how.combination = Combination::density_product;
    const auto result = on(farm_that_draws([](auto shard, int, auto x) {
                               move_first(x, 0.6 * static_cast<double>(shard));
                           }),
                           how);
    EXPECT_EQ(result.combination, Combination::precision);
    EXPECT_THAT(result.remark, HasSubstr("the product of densities"));
    EXPECT_FALSE(result.draws.values.empty());
}

TEST_F(ConsensusFarmTest, ShardsThatDifferTooMuchAreNotCombinedWhereThatIsWanted) {
    ConsensusOptions how;
    const auto apart = farm_that_draws(
        [](auto shard, int, auto x) { move_first(x, 0.6 * static_cast<double>(shard)); });
    const auto told = on(apart, how);
    EXPECT_EQ(told.shortfall, "");
    EXPECT_THAT(told.parameters, testing::ElementsAre("D0", "alpha", "D_offset"));
    EXPECT_THAT(told.parameters, testing::Contains(told.variation.parameter));
    EXPECT_GT(told.variation.value, 0.1);

    how.largest_variation = told.variation.value / 2;
    const auto refused = on(apart, how);
    EXPECT_THAT(refused.shortfall, HasSubstr("means of " + told.variation.parameter + " differ"));
    EXPECT_TRUE(refused.draws.values.empty());
}

TEST_F(ConsensusFarmTest, ShardsTellTheirOwnMeansAndDeviations) {
    sampling_.draws = 1000;
    const auto result = on({});
    const auto whole_now = whole();
    for (const auto& shard : result.shards) {
        ASSERT_EQ(shard.summaries.size(), 3U);
        EXPECT_NEAR(shard.summaries[0].sd / whole_now.summary(0).sd, 2, 0.6);
        EXPECT_NEAR(shard.summaries[0].ess_bulk, 4000, 800);
    }
}

TEST_F(ConsensusFarmTest, TasksEndWhenTheirTimeIsUp) {
    ConsensusOptions how;
    how.time_limit = std::chrono::milliseconds(1);
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        sampling_.method = method;
        sampling_.draws = 100'000;
        const auto result = on({}, how);
        EXPECT_THAT(result.shards[0].failure, HasSubstr("timed out"));
        EXPECT_NE(result.shortfall, "");
    }
}

TEST_F(ConsensusFarmTest, EndsByRequest) {
    struct Impatient : SampleObserver {
        bool stop_requested() override { return true; }
    } observer;
    sampling_.draws = 100'000;
    const auto result = consensus(data_, fitting_, fit_, sampling_, {}, team_, &observer);
    EXPECT_FALSE(result.is_complete);
    EXPECT_EQ(result.shortfall, "ended by request");
}

}  // namespace
}  // namespace lockstep::xpcs
