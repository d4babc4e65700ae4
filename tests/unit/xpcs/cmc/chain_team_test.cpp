#include "lockstep/xpcs/cmc/chain_team.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "support/xpcs/chains.hpp"

namespace lockstep::xpcs::cmc {
namespace {

double ring(std::span<const double> x, std::span<double> gradient) {
    const double square = x[0] * x[0] + x[1] * x[1];
    gradient[0] = -4 * (square - 1) * x[0];
    gradient[1] = -4 * (square - 1) * x[1];
    return -(square - 1) * (square - 1);
}

NutsOptions short_run() {
    NutsOptions options;
    options.warmup = 150;
    options.draws = 100;
    return options;
}

ChainTeam five_chains() {
    return {
        test::densities(2, ring), test::spread_starts({0.5, 0.5}, 5, 0.4, 1), short_run(), 17, 3};
}

Digest digest_of(const ChainTeam& chains) {
    DigestBuilder builder;
    for (const ChainDraws& chain : chains.draws()) {
        builder.add(chain.values);
        builder.add(chain.energy);
        builder.add(chain.leapfrogs);
    }
    return builder.digest();
}

TEST(ChainTeamTest, TheSameBitsForAnyNumberOfThreadsAndLengthOfRounds) {
    runtime::ThreadTeam one(1);
    ChainTeam reference = five_chains();
    reference.run(one);
    for (const int threads : {2, 3, 5}) {
        runtime::ThreadTeam team(threads);
        ChainTeam chains = five_chains();
        chains.run(team, {}, nullptr, 7 * threads);
        EXPECT_EQ(digest_of(chains), digest_of(reference)) << threads;
    }
    EXPECT_EQ(reference.count(), 5);
    EXPECT_TRUE(reference.done());
}

// Knows how many threads it was spread over, at most, and whether it still is.
class SpreadRing final : public LogDensity {
public:
    explicit SpreadRing(int& most) : most_(most) {}
    ~SpreadRing() override { EXPECT_FALSE(is_spread_); }
    [[nodiscard]] int dimension() const override { return 2; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        return ring(x, gradient);
    }
    double evaluate(std::span<const double> x) override { return ring(x, gradient_); }
    [[nodiscard]] int useful_threads() const override { return 2; }
    void spread_over(runtime::ThreadTeam* threads) override {
        is_spread_ = threads != nullptr;
        most_ = std::max(most_, is_spread_ ? threads->size() : 1);
    }

private:
    int& most_;
    bool is_spread_ = false;
    std::vector<double> gradient_ = std::vector<double>(2);
};

TEST(ChainTeamTest, AChainHasTheThreadsThatWouldIdle) {
    runtime::ThreadTeam one(1);
    ChainTeam reference = five_chains();
    reference.run(one);
    const auto starts = test::spread_starts({0.5, 0.5}, 5, 0.4, 1);
    for (const auto& [threads, expected] : {std::pair{10, 2}, {15, 2}, {5, 0}, {1, 0}}) {
        std::vector<int> most(5, 0);
        std::size_t made = 0;
        const auto make = [&] { return std::make_unique<SpreadRing>(most[made++]); };
        runtime::ThreadTeam team(threads);
        ChainTeam chains(make, starts, short_run(), 17, 3);
        chains.run(team, {}, nullptr, 60);
        EXPECT_EQ(digest_of(chains), digest_of(reference)) << threads;
        EXPECT_EQ(most, std::vector<int>(5, expected)) << threads;
    }
}

// Saves the chains after some round.
class Saver final : public ChainObserver {
public:
    explicit Saver(int round) : round_(round) {}
    void on_round(const ChainTeam& chains) override {
        iterations.push_back(chains.progress(0).iteration);
        if (static_cast<int>(iterations.size()) == round_) {
            ByteWriter writer;
            chains.save(writer);
            bytes = writer.take();
        }
    }
    std::vector<int> iterations;
    std::vector<std::byte> bytes;

private:
    int round_;
};

TEST(ChainTeamTest, RoundsAreReportedAndCanBeResumed) {
    runtime::ThreadTeam threads(2);
    Saver saver(2);
    ChainTeam whole = five_chains();
    EXPECT_TRUE(whole.run(threads, {}, &saver, 90));
    EXPECT_EQ(saver.iterations, (std::vector<int>{90, 180, 250}));

    ChainTeam resumed = five_chains();
    ByteReader reader(saver.bytes);
    resumed.restore(reader);
    EXPECT_TRUE(reader.at_end());
    EXPECT_EQ(resumed.progress(4).iteration, 180);
    EXPECT_EQ(resumed.progress(4).draws, 30);
    resumed.run(threads);
    EXPECT_EQ(digest_of(resumed), digest_of(whole));
}

TEST(ChainTeamTest, ADeadlineStopsAllChainsAndTheRestGivesTheSameBits) {
    runtime::ThreadTeam threads(2);
    ChainTeam whole = five_chains();
    whole.run(threads);
    ChainTeam chains = five_chains();
    std::atomic<int> steps = 0;
    EXPECT_FALSE(chains.run(threads, [&] { return ++steps > 3000; }));
    EXPECT_LE(steps, 3000 + 5);
    EXPECT_FALSE(chains.done());
    EXPECT_TRUE(chains.run(threads));
    EXPECT_EQ(digest_of(chains), digest_of(whole));
}

TEST(ChainTeamTest, ProgressAddsUp) {
    runtime::ThreadTeam threads(1);
    ChainTeam chains = five_chains();
    chains.advance(threads, 200);
    const ChainProgress progress = chains.progress(2);
    EXPECT_EQ(progress.warmup, 150);
    EXPECT_EQ(progress.draws, 50);
    EXPECT_GT(progress.leapfrogs, 200);
    EXPECT_GT(progress.acceptance, 0.5);
    EXPECT_EQ(chains.draws()[2].count(), 50);
}

TEST(ChainTeamTest, DrawsOfUnevenChainsAreCutToTheShortest) {
    runtime::ThreadTeam threads(1);
    ChainTeam chains = five_chains();
    int steps = 0;
    chains.advance(threads, 200);
    chains.advance(threads, 50, [&] { return ++steps > 60; });
    ASSERT_NE(chains.progress(0).draws, chains.progress(4).draws);
    for (const ChainDraws& draws : chains.draws()) {
        EXPECT_EQ(draws.count(), chains.progress(4).draws);
        EXPECT_EQ(draws.values.size(), draws.energy.size() * 2);
    }
}

TEST(ChainTeamTest, TheErrorOfAChainIsThatOfTheTeam) {
    EXPECT_THROW(ChainTeam(test::densities(2, ring), {}, short_run(), 1), InputError);
    const std::vector<std::vector<double>> starts{{0.5, 0.5}, {0.5}};
    EXPECT_THROW(ChainTeam(test::densities(2, ring), starts, short_run(), 1), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
