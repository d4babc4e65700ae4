// The table that the ranks of a node hold together, in the modes that exchange in rounds.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "conformance/comm/backends.hpp"
#include "rl/modes/learning_mode.hpp"
#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using rl::LearnResult;
using test::lake;
using test::learn_alone;
using test::learn_on_ranks;

LearnOptions short_rounds() {
    LearnOptions options;
    options.mode = rl::Mode::allreduce;
    options.steps = 1'500;
    options.sync_frequency = 20;
    options.workers = 6;
    options.exploration.level = rl::parse_schedule("0.3");
    return options;
}

/// Asks for a report each round; its rank may go before it has confirmed one, or after.
class Leaver final : public rl::LearnObserver {
public:
    struct Gone : std::runtime_error {
        using std::runtime_error::runtime_error;
    };

    Leaver(int before, int after) : before_(before), after_(after) {}
    bool wants_report(double, std::int64_t) override {
        if (before_-- == 0) {
            throw Gone("before");
        }
        return true;
    }
    void on_report(const rl::LearnReport&, const std::function<rl::QTable()>&) override {
        if (after_-- == 0) {
            throw Gone("after");
        }
    }

private:
    int before_;
    int after_;
};

constexpr int never = -1;

/// What ranks over TCP end with, those that stay; dealt to nodes in turn.
/// @param leaves  its observer
std::vector<LearnResult> learn_on_nodes(
    const LearnOptions& options, int ranks, int nodes, int lost, Leaver leaves) {
    const auto world = lake();
    comm::TcpConfig config;
    config.size = ranks;
    std::mutex mutex;
    std::vector<LearnResult> results;
    const auto body = [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{communicator, threads, runtime::Survival([](const runtime::Loss&) {})};
        Leaver stays(never, never);
        auto result =
            rl::learn(*world, options, team, communicator.rank() == lost ? leaves : stays, nullptr);
        const std::lock_guard lock(mutex);
        results.push_back(std::move(result));
    };
    try {
        comm::run_over_tcp(config, body, nodes);
    } catch (const Leaver::Gone&) {
        // as the test wants it
    }
    return results;
}

class NodeTableOverTcp : public testing::Test {
protected:
    void SetUp() override {
        if (!comm::is_built(comm::BackendKind::tcp) || !comm::is_built(comm::BackendKind::shm)) {
            GTEST_SKIP() << "this build leaves tcp or shm out";
        }
    }
};

TEST(NodeTable, IsOneForTheRanksOfANode) {
    const auto world = lake();
    auto options = short_rounds();
    for (const auto& result : learn_on_ranks(*world, options, 3)) {
        EXPECT_EQ(result.last.tables, 1);
        EXPECT_EQ(result.last.ranks.front().table_holders, 3);
    }
    options.overlap = true;  // ranks are in different rounds
    for (const auto& result : learn_on_ranks(*world, options, 3)) {
        EXPECT_EQ(result.last.tables, 3);
        EXPECT_EQ(result.last.ranks.front().table_holders, 1);
    }
}

TEST_F(NodeTableOverTcp, IsOneANodeAndItsOwnWhereARankIsAlone) {
    const auto options = short_rounds();
    const auto whole = learn_alone(*lake(), options);
    for (const int nodes : {1, 2, 4}) {
        const auto results = learn_on_nodes(options, 4, nodes, never, {never, never});
        ASSERT_EQ(results.size(), 4U);
        for (const auto& result : results) {
            EXPECT_EQ(result.digest, whole.digest) << nodes;
            EXPECT_EQ(result.last.tables, nodes);
        }
    }
}

// Wherever a rank is lost: while the table is made, while a round is played, exchanged, made final
// and written, or afterwards.
TEST(NodeTable, IsTheSameBitsWhereverARankIsLost) {
    const auto world = lake();
    for (const auto precision : {rl::Precision::f64, rl::Precision::f32}) {
        auto options = short_rounds();
        options.table_precision = precision;
        const auto whole = learn_alone(*world, options);
        for (const int lost : {0, 1, 2}) {
            for (std::int64_t collective = 0; collective < 48; ++collective) {
                const auto dies = [&](int rank, std::int64_t call) {
                    return rank == lost && call == collective;
                };
                const auto results = learn_on_ranks(*world, options, 3, 1, dies);
                ASSERT_EQ(results.size(), 2U) << lost << " in " << collective;
                for (const auto& result : results) {
                    EXPECT_EQ(result.digest, whole.digest) << lost << " in " << collective;
                    EXPECT_EQ(result.transitions, whole.transitions);
                    EXPECT_EQ(result.last.tables, 1);
                }
            }
        }
    }
}

/// A rank of three that plays rounds until rank 2 goes while some write the second one.
class Writer {
public:
    Writer(const rl::World& world, const LearnOptions& options, comm::Communicator& ranks)
        : options_(options),
          ranks_(ranks),
          threads_(1),
          team_{ranks, threads_},
          table_(world, options),
          mode_(rl::make_workers({world, options, team_, table_})) {}

    void learn_round() {
        play();
        mode_->commit();
    }
    void play() {
        mode_->settle();
        mode_->play(done_);
        mode_->exchange();
        ranks_.barrier();
        done_ += options_.transitions_of_a_round() * options_.workers;
    }
    void write() { mode_->commit(); }
    void recover() {
        EXPECT_THROW(ranks_.barrier(), comm::PeerFailed);
        ranks_.recover();
        mode_->repartition();
        mode_->settle();
    }
    [[nodiscard]] Digest digest() const { return rl::digest_of(table_.table()); }

private:
    const LearnOptions& options_;
    comm::Communicator& ranks_;
    runtime::ThreadTeam threads_;
    runtime::Team team_;
    rl::TableStore table_;
    std::unique_ptr<rl::LearningMode> mode_;
    std::int64_t done_ = 0;
};

// Who has not been told yet that all have the round confirms it again, and makes it final then.
TEST(NodeTable, IsWholeAgainWhereOnlySomeHadWrittenARound) {
    const auto world = lake();
    auto options = short_rounds();
    const auto round = options.transitions_of_a_round() * options.workers;
    options.steps = 2 * round;
    const auto two_rounds = learn_alone(*world, options).digest;
    options.steps = 3 * round;
    const auto three_rounds = learn_alone(*world, options).digest;
    for (const int told : {0, 1, 2}) {
        std::atomic<bool> goes = false;
        const auto body = [&](comm::Communicator& ranks) {
            Writer writer(*world, options, ranks);
            const int rank = ranks.rank();
            writer.learn_round();
            writer.play();
            if (rank == 2) {
                goes = true;
                return told == 2 ? writer.write() : ranks.barrier();
            }
            if (rank == told) {
                EXPECT_THROW(writer.write(), comm::PeerFailed);
            }
            writer.recover();
            if (rank != told) {
                writer.write();
            }
            EXPECT_EQ(writer.digest(), two_rounds) << told << " has written, on " << rank;
            ranks.barrier();
            writer.learn_round();
            EXPECT_EQ(writer.digest(), three_rounds) << told << " has written, on " << rank;
        };
        comm::run_in_process(3, body, [&](int rank, std::int64_t) { return rank == 2 && goes; });
        EXPECT_TRUE(goes);
    }
}

// The second one while the survivors of the first make the table anew, or do the round again.
TEST(NodeTable, IsTheSameBitsWhereOneRankIsLostAfterTheOther) {
    const auto world = lake();
    const auto options = short_rounds();
    const auto whole = learn_alone(*world, options);
    for (std::int64_t collective = 8; collective < 20; ++collective) {
        for (std::int64_t later = 0; later < 9; ++later) {
            for (const int second : {0, 2}) {
                const auto dies = [&](int rank, std::int64_t call) {
                    return (rank == 1 && call == collective) ||
                           (rank == second && call == collective + later);
                };
                const auto results = learn_on_ranks(*world, options, 4, 1, dies);
                ASSERT_EQ(results.size(), 2U) << collective << " and " << later;
                for (const auto& result : results) {
                    EXPECT_EQ(result.digest, whole.digest) << collective << " and " << later;
                    EXPECT_EQ(result.last.tables, 1);
                }
            }
        }
    }
}

// Ranks 0 and 2 are on one node, 1 and 3 on the other.
TEST_F(NodeTableOverTcp, IsTheSameBitsWhereARankOfOneNodeIsLost) {
    const auto options = short_rounds();
    const auto whole = learn_alone(*lake(), options);
    for (const int lost : {0, 3}) {
        for (const Leaver& leaves : {Leaver(0, never), Leaver(4, never), Leaver(never, 3)}) {
            const auto results = learn_on_nodes(options, 4, 2, lost, leaves);
            ASSERT_EQ(results.size(), 3U);
            for (const auto& result : results) {
                EXPECT_EQ(result.digest, whole.digest) << lost;
                EXPECT_EQ(result.last.tables, 2);
            }
        }
    }
}

}  // namespace
}  // namespace lockstep
