#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/sddp/train.hpp"

#include "support/random_system.hpp"

namespace lockstep::sddp {
namespace {

struct Run {
    Digest train;
    Digest simulate;
    double lower_bound = 0;
    friend bool operator==(const Run&, const Run&) = default;
};

Run run(const Problem& problem, runtime::Team& team, const TrainOptions& options) {
    Observer silent;
    const auto trained = train(problem, options, team, silent);
    const auto simulated = simulate(problem,
                                    trained.policy,
                                    {7, options.solver, options.tolerances, options.speed},
                                    team,
                                    silent);
    return {trained.digest, simulated.digest, trained.lower_bound};
}

Run run(const Problem& problem, int ranks, int threads, const TrainOptions& options) {
    Run result;
    comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam thread_team(threads);
        runtime::Team team{communicator, thread_team};
        const auto mine = run(problem, team, options);
        if (communicator.rank() == 0)
            result = mine;
    });
    return result;
}

TrainOptions options(lp::SolverKind solver) {
    TrainOptions result;
    result.forward_passes = 5;
    result.stopping = {{StoppingRule::Kind::iteration_limit, 6, 0, 0}};
    result.solver = solver;
    return result;
}

class DeterminismTest : public testing::TestWithParam<lp::SolverKind> {};

TEST_P(DeterminismTest, RanksAndThreadsDoNotChangeABit) {
    if (!lp::is_built(GetParam()))
        GTEST_SKIP() << "solver not built";
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto problem = test::random_problem(seed);
        const auto reference = run(problem, 1, 1, options(GetParam()));
        for (const int ranks : {1, 2, 3})
            for (const int threads : {1, 2, 4})
                EXPECT_EQ(run(problem, ranks, threads, options(GetParam())), reference)
                    << "seed " << seed << ", " << ranks << " ranks of " << threads << " threads";
    }
}

TEST_P(DeterminismTest, ShortCutsKeepTheBound) {
    if (!lp::is_built(GetParam()))
        GTEST_SKIP() << "solver not built";
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const auto problem = test::random_problem(seed);
        auto converged = options(GetParam());
        converged.stopping = {{StoppingRule::Kind::iteration_limit, 25, 0, 0}};
        const auto bound = run(problem, 1, 1, converged).lower_bound;
        for (auto off : {&SpeedOptions::lazy_cuts,
                         &SpeedOptions::ordered_openings,
                         &SpeedOptions::warm_start,
                         &SpeedOptions::substitute_evaporation}) {
            auto changed = converged;
            changed.speed.*off = false;
            EXPECT_NEAR(run(problem, 1, 1, changed).lower_bound,
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
