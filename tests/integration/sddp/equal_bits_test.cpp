#include <string>

#include <gtest/gtest.h>

#include "support/case_problem.hpp"
#include "support/random_graph.hpp"
#include "support/random_system.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

struct Job {
    std::string name;
    int iterations = 0;
    int passes = 0;  ///< 0: the case's own
    int scenarios = 10;
};

class EqualBitsTest : public testing::TestWithParam<Job> {};

TEST_P(EqualBitsTest, AnyNumberOfRanksAndThreads) {
    const auto job = GetParam();
    const auto input = test::case_problem(job.name);
    auto options = test::with_iterations(input.config.train, job.iterations);
    if (job.passes > 0) {
        options.forward_passes = job.passes;
    }
    const auto reference = test::run_bits(input.problem, options, job.scenarios, 1, 1);
    for (const int ranks : {1, 2, 3}) {
        for (const int threads : {1, 2, 4}) {
            if (ranks * threads == 1) {
                continue;
            }
            EXPECT_EQ(test::run_bits(input.problem, options, job.scenarios, ranks, threads),
                      reference)
                << ranks << " ranks of " << threads << " threads";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         EqualBitsTest,
                         testing::Values(Job{"1dtoy", 30, 3},
                                         Job{"4ree", 20},
                                         Job{"d19-multi-hydro-par", 20, 5},
                                         Job{"d26-estimated-par2", 20, 5},
                                         Job{"node-tree-cvar", 5},
                                         Job{"pmo-small", 2, 0, 5}),
                         [](const auto& test) {
                             return test.param.name.substr(0, test.param.name.find('-'));
                         });

// Equal plants on one river and equal thermal costs: whole faces of optima and of duals.
Problem degenerate_problem() {
    auto problem = test::case_problem("4ree").problem;
    for (auto& thermal : problem.system.thermals) {
        for (auto& cost : thermal.cost) {
            cost = 100;
        }
    }
    for (auto& hydro : problem.system.hydros) {
        for (auto& costs : hydro.costs) {
            costs.turbined = costs.spillage = 0;
        }
    }
    return problem;
}

TEST(EqualBitsOfDegenerateTest, AnyNumberOfRanksAndThreads) {
    const auto problem = degenerate_problem();
    for (const auto solver : {lp::SolverKind::clp, lp::SolverKind::highs}) {
        if (!lp::is_built(solver)) {
            continue;
        }
        auto options = test::with_iterations({}, 6);
        options.forward_passes = 4;
        options.solver = solver;
        const auto reference = test::run_bits(problem, options, 5, 1, 1);
        for (const int ranks : {1, 2, 3}) {
            EXPECT_EQ(test::run_bits(problem, options, 5, ranks, 2), reference)
                << ranks << " ranks";
        }
    }
}

TEST(EqualBitsOfGraphsTest, AnyNumberOfRanksAndThreads) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        auto problem = test::random_problem(seed);
        test::add_random_graph(problem, seed);
        auto options = test::with_iterations({}, 8);
        options.forward_passes = 3;
        const auto reference = test::run_bits(problem, options, 5, 1, 1);
        for (const int ranks : {1, 2, 3}) {
            EXPECT_EQ(test::run_bits(problem, options, 5, ranks, 2), reference)
                << "seed " << seed << ", " << ranks << " ranks";
        }
    }
}

TEST(LazyCutsTest, KeepTheBoundOfTheFullProgramme) {
    for (const std::string name : {"1dtoy", "d19-multi-hydro-par", "d26-estimated-par2"}) {
        const auto input = test::case_problem(name);
        auto options = test::with_iterations(input.config.train, 60);
        const auto lazy = test::train_alone(input.problem, options).lower_bound;
        options.speed.lazy_cuts = false;
        const auto full = test::train_alone(input.problem, options).lower_bound;
        EXPECT_NEAR(lazy, full, 1e-9 * full) << name;
    }
}

TEST(SolversTest, AgreeOnTheBoundWhereDualsAreUnique) {
    if (!lp::is_built(lp::SolverKind::clp)) {
        GTEST_SKIP() << "needs both solvers";
    }
    for (const std::string name :
         {"d02-single-hydro", "d08-evaporation", "d19-multi-hydro-par", "d26-estimated-par2"}) {
        const auto input = test::case_problem(name);
        auto options = input.config.train;
        options.solver = lp::SolverKind::clp;
        const auto clp = test::train_alone(input.problem, options).lower_bound;
        options.solver = lp::SolverKind::highs;
        EXPECT_NEAR(test::train_alone(input.problem, options).lower_bound, clp, 1e-9 * clp) << name;
    }
}

}  // namespace
}  // namespace lockstep::sddp
