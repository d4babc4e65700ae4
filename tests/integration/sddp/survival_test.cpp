#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/case_problem.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

constexpr int ranks = 3;
constexpr int scenarios = 20;

/// A short run whose every collective is counted.
class SurvivalTest : public testing::Test {
protected:
    test::RunBits run(const std::function<bool(int, std::int64_t)>& dies) {
        return test::run_bits(input_.problem, options_, scenarios, ranks, 1, dies);
    }
    static TrainOptions four_passes(TrainOptions options) {
        options.forward_passes = 4;
        return options;
    }
    std::int64_t count_collectives() {
        std::atomic<std::int64_t> count = 0;
        run([&](int rank, std::int64_t) {
            count += rank == 0 ? 1 : 0;
            return false;
        });
        return count;
    }

    decltype(test::case_problem("")) input_ = test::case_problem("d03-two-hydro-cascade");
    TrainOptions options_ = four_passes(test::with_iterations(input_.config.train, 3));
    test::RunBits undisturbed_ = test::run_bits(input_.problem, options_, scenarios, 1, 1);
};

TEST_F(SurvivalTest, EveryRankMayGoInEveryCollective) {
    const auto collectives = count_collectives();
    ASSERT_GT(collectives, 30);
    for (int victim = 0; victim < ranks; ++victim) {
        for (std::int64_t last = 0; last < collectives; ++last) {
            ASSERT_EQ(
                run([&](int rank, std::int64_t call) { return rank == victim && call == last; }),
                undisturbed_)
                << "rank " << victim << " of collective " << last;
        }
    }
}

TEST_F(SurvivalTest, TwoRanksMayGo) {
    const auto collectives = count_collectives();
    for (std::int64_t first = 1; first < collectives; first += 5) {
        for (std::int64_t second = first; second < first + 12; second += 3) {
            ASSERT_EQ(run([&](int rank, std::int64_t call) {
                          return (rank == 0 && call == first) || (rank == 2 && call == second);
                      }),
                      undisturbed_)
                << "rank 0 in collective " << first << ", rank 2 in " << second;
        }
    }
}

/// Keeps checkpoints by a collective. After the one of iteration 2, rank 2 is gone before rank 1
/// has the result; rank 0 has it and begins iteration 3.
class LossAtACheckpoint final : public Observer {
public:
    LossAtACheckpoint(comm::Communicator& all, std::atomic<bool>& is_doomed)
        : all_(all), rank_(all.rank()), is_doomed_(is_doomed) {}

    void on_checkpoint(const runtime::EngineState& state) override {
        kept.push_back(all_.allreduce(state.iteration(), comm::ReduceOp::max));
        if (state.iteration() == 2) {
            for (int stage = 0; stage + 1 < state.parts(); ++stage) {  // then follows the history
                stages[kept.size() - 1].push_back(state.part(stage));
            }
        }
        if (state.iteration() != 2 || kept.size() > 1) {
            return;
        }
        if (rank_ == 2) {
            is_doomed_ = true;
        }
        if (rank_ == 1) {
            throw comm::PeerFailed("rank 2 is gone", 2);
        }
    }
    std::vector<int> kept;
    std::array<std::vector<std::vector<std::byte>>, 2> stages;  // of iteration 2, both times

private:
    comm::Communicator& all_;
    int rank_;
    std::atomic<bool>& is_doomed_;
};

TEST_F(SurvivalTest, ARankMayBeAheadOfOneAtTheCheckpoint) {
    options_ = test::with_iterations(options_, 5);
    options_.checkpoint_iterations = 2;
    const auto undisturbed = test::train_alone(input_.problem, options_);
    std::atomic<bool> is_doomed = false;
    std::array<std::vector<int>, ranks> kept;
    std::array<Digest, ranks> digests{};

    comm::run_in_process(
        ranks,
        [&](comm::Communicator& communicator) {
            const auto rank = static_cast<std::size_t>(communicator.rank());
            runtime::ThreadTeam threads(1);
            runtime::Team team{communicator, threads, runtime::Survival([](const auto&) {})};
            LossAtACheckpoint observer(communicator, is_doomed);
            digests[rank] = train(input_.problem, options_, team, observer).digest;
            kept[rank] = observer.kept;
            EXPECT_EQ(observer.stages[0], observer.stages[1]);
        },
        [&](int rank, std::int64_t) { return rank == 2 && is_doomed; });

    for (const std::size_t survivor : {0U, 1U}) {
        EXPECT_EQ(digests[survivor], undisturbed.digest);
        EXPECT_EQ(kept[survivor], (std::vector<int>{2, 2, 4, 5}));
    }
}

}  // namespace
}  // namespace lockstep::sddp
