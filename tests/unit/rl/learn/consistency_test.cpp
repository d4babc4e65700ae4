#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "conformance/comm/backends.hpp"
#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

/// A checkpoint of which one bit of a value changes as it is read.
class DamagedState final : public runtime::EngineState {
public:
    DamagedState(const runtime::EngineState& state, std::size_t cell)
        : state_(state), cell_(cell) {}
    [[nodiscard]] const char* engine() const override { return state_.engine(); }
    [[nodiscard]] int iteration() const override { return state_.iteration(); }
    [[nodiscard]] int parts() const override { return state_.parts(); }
    [[nodiscard]] std::vector<std::byte> part(int index) const override {
        auto bytes = state_.part(index);
        if (index == 1) {  // the table: how wide values are, how many, then these
            bytes[1 + sizeof(std::uint64_t) + cell_ * sizeof(double) + 6] ^= std::byte{1};
        }
        return bytes;
    }

private:
    const runtime::EngineState& state_;
    std::size_t cell_;
};

/// Compares tables every so many rounds.
class Checker final : public rl::LearnObserver {
public:
    explicit Checker(std::int64_t every) : every_(every) {}
    bool wants_consistency_check(std::int64_t rounds) override { return rounds >= every_; }
    void on_report(const rl::LearnReport& report, const std::function<rl::QTable()>&) override {
        checks += report.consistency_checks;
    }
    std::int64_t checks = 0;

private:
    std::int64_t every_;
};

class Consistency : public testing::TestWithParam<bool> {
protected:
    Consistency() {
        options.mode = rl::Mode::allreduce;
        options.steps = 200'000;
        options.sync_frequency = 100;
        options.overlap = GetParam();
        test::LearnWatch watch;
        watch.checkpoint_every = 10'000;
        watch.stop_at_checkpoint = 1;
        test::learn_alone(*world, options, 1, &watch);
        checkpoint = std::move(watch.checkpoint);
    }

    void SetUp() override {
        if (!comm::is_built(comm::BackendKind::tcp)) {
            GTEST_SKIP() << "this build leaves tcp out";
        }
    }

    // Goes on from the checkpoint; rank 1 of three from a damaged one. Each is on a node of its
    // own, for those of one node may have one table.
    void go_on(std::int64_t every, std::int64_t& checks) {
        const DamagedState damaged(*checkpoint, 14 * 4 + 1);
        constexpr int ranks_and_nodes = 3;
        comm::TcpConfig config;
        config.size = ranks_and_nodes;
        const auto body = [&](comm::Communicator& ranks) {
            runtime::ThreadTeam threads(1);
            runtime::Team team{ranks, threads};
            Checker checker(every);
            const runtime::EngineState& own = *checkpoint;
            rl::learn(
                *world, options, team, checker, is_damaged && ranks.rank() == 1 ? &damaged : &own);
            if (ranks.rank() == 0) {
                checks = checker.checks;
            }
        };
        comm::run_over_tcp(config, body, ranks_and_nodes);
    }

    std::unique_ptr<rl::World> world = test::lake();
    rl::LearnOptions options;
    std::unique_ptr<test::KeptState> checkpoint;
    bool is_damaged = true;
};

INSTANTIATE_TEST_SUITE_P(Exchange, Consistency, testing::Bool(), [](const auto& overlap) {
    return overlap.param ? "Overlapped" : "Synchronous";
});

TEST_P(Consistency, CheckNamesRankBlockStateAndActionOfAChangedBit) {
    std::int64_t checks = 0;
    try {
        go_on(1, checks);
        FAIL() << "one bit of rank 1 was another";
    } catch (const CommError& error) {
        EXPECT_THAT(
            error.what(),
            testing::AllOf(testing::HasSubstr("table of rank 1 differs from that of rank 0"),
                           testing::HasSubstr("block 0 at state 14, action 1"),
                           testing::HasSubstr("after round ")));
    }
}

TEST_P(Consistency, CheckPassesWhereTablesAreAlikeAndIsNotMadeUnasked) {
    std::int64_t checks = 0;
    is_damaged = false;
    go_on(1, checks);
    EXPECT_GT(checks, 0);
    is_damaged = true;
    EXPECT_NO_THROW(go_on(1'000'000, checks));
    EXPECT_EQ(checks, 0);
}

}  // namespace
}  // namespace lockstep
