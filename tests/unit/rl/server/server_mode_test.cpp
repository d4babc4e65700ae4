#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/rl/solve.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using test::lake;
using test::learn_alone;
using test::learn_on_ranks;

LearnOptions options_of(int staleness) {
    LearnOptions options;
    options.mode = rl::Mode::server;
    options.steps = 2'000'003;
    options.staleness = staleness;
    options.exploration.level = rl::parse_schedule("0.3");
    options.seed = 3;
    return options;
}

void expect_each_transition_once(const rl::LearnResult& result, const LearnOptions& options) {
    EXPECT_EQ(result.transitions, options.steps);
    EXPECT_EQ(
        std::accumulate(result.table.visits.begin(), result.table.visits.end(), std::int64_t{0}),
        options.steps);
}

double start_value(const rl::LearnResult& result) {
    return *std::max_element(result.table.values.begin(), result.table.values.begin() + 4);
}

class ServerModeTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AcceptanceRow7, ServerModeTest, testing::Values(1, 8, -1));

TEST_P(ServerModeTest, LearnsTheSameValueAloneAndOnRanks) {
    const auto world = lake();
    const auto options = options_of(GetParam());
    const double best = 0.542026;  // golden.json: FrozenLake 4x4, discount 0.99
    const auto alone = learn_alone(*world, options, 2);
    expect_each_transition_once(alone, options);
    EXPECT_NEAR(start_value(alone), best, 0.04);
    const auto on_ranks = learn_on_ranks(*world, options, 4);
    ASSERT_EQ(on_ranks.size(), 4U);
    for (const auto& result : on_ranks) {
        expect_each_transition_once(result, options);
        EXPECT_EQ(result.digest, on_ranks.front().digest);
        EXPECT_NEAR(start_value(result), best, 0.04);
    }
}

TEST_P(ServerModeTest, GoesOnFromACheckpointOnOtherRanks) {
    const auto world = lake();
    auto options = options_of(GetParam());
    options.steps = 20'000'003;
    test::LearnWatch watch;
    watch.checkpoint_every = 1;
    watch.stop_at_checkpoint = 1;
    const auto first = learn_alone(*world, options, 1, &watch);
    ASSERT_EQ(first.ending, rl::LearnEnding::stopped);
    ASSERT_LT(first.transitions, options.steps);
    for (const auto& result : learn_on_ranks(*world, options, 3, 1, {}, watch.checkpoint.get())) {
        expect_each_transition_once(result, options);
        EXPECT_NEAR(start_value(result), 0.542026, 0.02);
    }
}

TEST_P(ServerModeTest, CountsEachTransitionOnceWhenAWorkerIsLost) {
    const auto world = lake();
    const auto options = options_of(GetParam());
    for (const std::int64_t collective : {2, 5}) {
        const auto dies = [&](int rank, std::int64_t call) {
            return rank == 2 && call == collective;
        };
        const auto results = learn_on_ranks(*world, options, 4, 1, dies);
        ASSERT_EQ(results.size(), 3U);
        for (const auto& result : results) {
            expect_each_transition_once(result, options);
            EXPECT_NEAR(start_value(result), 0.542026, 0.04);
        }
    }
}

TEST_P(ServerModeTest, CountsEachTransitionOnceOnSeveralServers) {
    const auto world = lake();
    auto options = options_of(GetParam());
    for (const int servers : {2, 3}) {
        options.servers = servers;
        for (const auto& result : learn_on_ranks(*world, options, 5)) {
            expect_each_transition_once(result, options);
            EXPECT_NEAR(start_value(result), 0.542026, 0.04);
        }
    }
}

// Whoever holds a part of the table, or works: the slice is played again, by those that are left.
TEST_P(ServerModeTest, GoesOnWithoutAServerThatIsNotTheFirst) {
    const auto world = lake();
    auto options = options_of(GetParam());
    options.servers = 3;
    for (const int lost : {1, 2, 3}) {
        const auto dies = [&](int rank, std::int64_t call) { return rank == lost && call == 3; };
        const auto results = learn_on_ranks(*world, options, 4, 1, dies);
        ASSERT_EQ(results.size(), 3U);
        for (const auto& result : results) {
            expect_each_transition_once(result, options);
            EXPECT_EQ(result.digest, results.front().digest);
        }
    }
}

TEST(AcceptanceRow6, AnyNumberOfServersHasTheBitsOfRounds) {
    const auto world = lake();
    auto options = options_of(0);
    options.steps = 300'007;
    for (const double ratio : {0.0, 0.5}) {
        options.compression_ratio = ratio;
        options.servers = 1;
        const auto expected = learn_alone(*world, options).digest;
        for (const int servers : {1, 2, 3, 64}) {
            options.servers = servers;
            for (const auto& result : learn_on_ranks(*world, options, 5)) {
                EXPECT_EQ(result.digest, expected) << servers << ' ' << ratio;
            }
            const auto dies = [](int rank, std::int64_t call) { return rank == 1 && call == 4; };
            for (const auto& result : learn_on_ranks(*world, options, 5, 1, dies)) {
                EXPECT_EQ(result.digest, expected) << servers << " and a lost rank, " << ratio;
            }
        }
    }
}

TEST(ServerMode, GoesOnFromACheckpointWithOtherServers) {
    const auto world = lake();
    auto options = options_of(0);
    const auto expected = learn_alone(*world, options).digest;
    test::LearnWatch watch;
    watch.checkpoint_every = 1;
    watch.stop_at_checkpoint = 1;
    static_cast<void>(learn_alone(*world, options, 1, &watch));
    for (const int servers : {2, 3}) {
        options.servers = servers;
        for (const auto& result :
             learn_on_ranks(*world, options, 4, 1, {}, watch.checkpoint.get())) {
            EXPECT_EQ(result.digest, expected);
        }
    }
}

// By the negative control among the rules: values grow until they are no numbers any more.
TEST(ServerMode, TellsOfAWorkerThatCannotGoOn) {
    const auto world = lake();
    auto options = options_of(0);
    options.steps = 1'000'000'000;
    options.sync_frequency = 20;
    options.combine = rl::Combine::sum;
    options.learning_rate = rl::parse_step_size("0.9");
    options.initial_value = 1e290;
    for (const int servers : {1, 3}) {
        options.servers = servers;
        EXPECT_THROW(static_cast<void>(learn_on_ranks(*world, options, 5)), Error) << servers;
    }
}

TEST(ServerMode, TellsWhenTheServerIsLost) {
    const auto world = lake();
    const auto dies = [&](int rank, std::int64_t call) { return rank == 0 && call == 2; };
    EXPECT_THROW(static_cast<void>(learn_on_ranks(*world, options_of(1), 3, 1, dies)), CommError);
}

TEST(ServerMode, RefusesCompressionThatSavesNothing) {
    auto options = options_of(1);
    options.compression_ratio = 0.5;
    EXPECT_THROW(options.validate(), InputError);
    options.staleness = 0;
    EXPECT_NO_THROW(options.validate());
}

TEST(ServerMode, ReportsWorkersAndStaleness) {
    const auto world = lake();
    const auto options = options_of(1);
    test::LearnWatch watch;
    static_cast<void>(learn_alone(*world, options, 2, &watch));
    ASSERT_FALSE(watch.reports.empty());
    const auto& last = watch.reports.back();
    EXPECT_EQ(last.workers_alive, 1);
    EXPECT_EQ(last.leases_reissued, 0);
    ASSERT_FALSE(last.staleness.histogram.empty());
    EXPECT_GT(last.staleness.histogram[0], 0);
}

}  // namespace
}  // namespace lockstep
