#include <atomic>
#include <cstdint>
#include <string>

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
    for (int victim = 0; victim < ranks; ++victim)
        for (std::int64_t last = 0; last < collectives; ++last)
            ASSERT_EQ(
                run([&](int rank, std::int64_t call) { return rank == victim && call == last; }),
                undisturbed_)
                << "rank " << victim << " of collective " << last;
}

TEST_F(SurvivalTest, TwoRanksMayGo) {
    const auto collectives = count_collectives();
    for (std::int64_t first = 1; first < collectives; first += 5)
        for (std::int64_t second = first; second < first + 12; second += 3)
            ASSERT_EQ(run([&](int rank, std::int64_t call) {
                          return (rank == 0 && call == first) || (rank == 2 && call == second);
                      }),
                      undisturbed_)
                << "rank 0 in collective " << first << ", rank 2 in " << second;
}

}  // namespace
}  // namespace lockstep::sddp
