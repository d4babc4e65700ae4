#include <string>

#include <gtest/gtest.h>

#include "lockstep/sddp/train.hpp"

#include "support/random_system.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

TrainOptions options(lp::SolverKind solver) {
    TrainOptions result;
    result.forward_passes = 5;
    result.stopping = {{StoppingRule::Kind::iteration_limit, 6, 0, 0}};
    result.solver = solver;
    return result;
}

class DeterminismTest : public testing::TestWithParam<lp::SolverKind> {};

TEST_P(DeterminismTest, RanksAndThreadsDoNotChangeABit) {
    if (!lp::is_built(GetParam())) {
        GTEST_SKIP() << "solver not built";
    }
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto problem = test::random_problem(seed);
        const auto reference = test::run_bits(problem, options(GetParam()), 7, 1, 1);
        for (const int ranks : {1, 2, 3}) {
            for (const int threads : {1, 2, 4}) {
                EXPECT_EQ(test::run_bits(problem, options(GetParam()), 7, ranks, threads),
                          reference)
                    << "seed " << seed << ", " << ranks << " ranks of " << threads << " threads";
            }
        }
    }
}

TEST_P(DeterminismTest, RanksDoNotChangeABitWhereBoundsAreMadeApart) {
    if (!lp::is_built(GetParam())) {
        GTEST_SKIP() << "solver not built";
    }
    for (std::uint64_t seed = 0; seed < 60; seed += 20) {
        const auto problem = test::truncated_problem(seed);
        const auto reference = test::run_bits(problem, options(GetParam()), 7, 1, 1);
        for (const int ranks : {2, 3}) {
            EXPECT_EQ(test::run_bits(problem, options(GetParam()), 7, ranks, 1), reference)
                << "seed " << seed << ", " << ranks << " ranks";
        }
        // the second rank dies in the middle of a pass
        const auto dies = [](int rank, std::int64_t call) { return rank == 1 && call == 90; };
        EXPECT_EQ(test::run_bits(problem, options(GetParam()), 7, 3, 1, dies), reference)
            << "seed " << seed;
    }
}

TEST_P(DeterminismTest, RanksDoNotChangeABitOfOtherWaysToTrain) {
    if (!lp::is_built(GetParam())) {
        GTEST_SKIP() << "solver not built";
    }
    auto within = options(GetParam());
    within.inner.every = 2;
    auto sampled = options(GetParam());
    sampled.policy_cost = {2, 2, 7};
    auto loose = options(GetParam());
    loose.forward = PassSolver{{1e-7, 1e-7}, false};
    auto apart = options(GetParam());
    apart.speed.multi_cut = true;
    const auto dies = [](int rank, std::int64_t call) { return rank == 1 && call == 90; };
    for (std::uint64_t seed = 0; seed < 60; seed += 20) {
        const auto problem = test::random_problem(seed);
        for (const auto& job : {within, sampled, loose, apart}) {
            const auto reference = test::run_bits(problem, job, 7, 1, 1);
            EXPECT_EQ(test::run_bits(problem, job, 7, 1, 3), reference) << "seed " << seed;
            EXPECT_EQ(test::run_bits(problem, job, 7, 3, 1), reference) << "seed " << seed;
            EXPECT_EQ(test::run_bits(problem, job, 7, 3, 1, dies), reference) << "seed " << seed;
        }
    }
}

// A forward pass with a solver of its own, of the same choices, takes the same way.
TEST_P(DeterminismTest, AForwardSolverOfItsOwnChangesWhatItIsToldToAlone) {
    if (!lp::is_built(GetParam())) {
        GTEST_SKIP() << "solver not built";
    }
    const auto problem = test::random_problem(0);
    const auto job = options(GetParam());
    auto own = job;
    own.forward = PassSolver{job.tolerances, job.speed.warm_start};
    EXPECT_EQ(test::run_bits(problem, own, 7, 1, 1), test::run_bits(problem, job, 7, 1, 1));

    own.forward->warm_start = false;
    const auto cold = test::train_alone(problem, own).iterations.back();
    EXPECT_EQ(cold.forward.warm_starts, 0);
    EXPECT_GT(cold.backward.warm_starts, 0);
}

TEST_P(DeterminismTest, ShortCutsKeepTheBound) {
    if (!lp::is_built(GetParam())) {
        GTEST_SKIP() << "solver not built";
    }
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const auto problem = test::random_problem(seed);
        auto converged = options(GetParam());
        converged.stopping = {{StoppingRule::Kind::iteration_limit, 25, 0, 0}};
        const auto bound = test::train_alone(problem, converged).lower_bound;
        for (auto off : {&SpeedOptions::lazy_cuts,
                         &SpeedOptions::ordered_openings,
                         &SpeedOptions::warm_start,
                         &SpeedOptions::substitute_evaporation}) {
            auto changed = converged;
            changed.speed.*off = false;
            EXPECT_NEAR(test::train_alone(problem, changed).lower_bound,
                        bound,
                        1e-8 * std::max(1.0, std::abs(bound)))
                << "seed " << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers,
                         DeterminismTest,
                         testing::Values(lp::SolverKind::clp, lp::SolverKind::highs),
                         [](const auto& test) { return std::string(lp::to_string(test.param)); });

}  // namespace
}  // namespace lockstep::sddp
