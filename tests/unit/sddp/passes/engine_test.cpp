#include "sddp/passes/engine.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/hydro_model.hpp"
#include "support/random_system.hpp"
#include "support/tiny_problem.hpp"

namespace lockstep::sddp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Three stages of one plant with a lag, one opening each.
Problem three_stages() {
    auto problem = test::tiny_problem(3, 100);
    test::add_tiny_hydro(problem, 5, 100);
    problem.process.inflow.lags = 1;
    problem.process.inflow.initial_lags = {7};
    for (auto& stage : problem.process.inflow.stages) {
        stage.lag = {0.5};
    }
    return problem;
}

/// An engine on one rank and thread.
class Alone {
public:
    explicit Alone(Problem problem, SolverSetup setup = {})
        : problem_(std::move(problem)),
          model_(problem_, setup.speed),
          engine(model_, setup, team_) {}

private:
    Problem problem_;
    HydroModel model_;
    std::unique_ptr<comm::Communicator> ranks_ = comm::make_local();
    runtime::ThreadTeam threads_{1};
    runtime::Team team_{*ranks_, threads_};

public:
    Engine engine;
};

TEST(EngineTest, StartsFromInitialStoragesAndLags) {
    const Alone alone(three_stages());
    EXPECT_EQ(alone.engine.stage_count(), 3);
    EXPECT_EQ(alone.engine.state_size(), 2u);
    EXPECT_THAT(alone.engine.initial_state(), ElementsAre(5, 7));
}

TEST(EngineTest, AUnitOfTheLastStageHasNoCuts) {
    Alone alone(three_stages());
    const std::vector<double> state{1, 2};
    EXPECT_EQ(alone.engine.unit(1, nullptr, state).pool, &alone.engine.pools[1]);
    EXPECT_EQ(alone.engine.unit(2, nullptr, state).pool, nullptr);
    EXPECT_EQ(alone.engine.growing_pools().size(), 2u);
    EXPECT_THAT(alone.engine.unit(1, nullptr, state).carried, ElementsAre(2));
}

TEST(EngineTest, WithoutWarmStartsAUnitHasNoBasis) {
    const std::vector<double> state{1, 2};
    const StoredBasis basis;
    SolverSetup setup;
    EXPECT_EQ(Alone(three_stages(), setup).engine.unit(1, &basis, state).basis, &basis);
    setup.speed.warm_start = false;
    EXPECT_EQ(Alone(three_stages(), setup).engine.unit(1, &basis, state).basis, nullptr);
}

TEST(EngineTest, AUnitHasBoundingCutsWhereInflowsAreTruncated) {
    const std::vector<double> state{1, 2};
    auto problem = three_stages();
    for (int t = 0; t < 3; ++t) {
        problem.process.inflow.stages[at(t)].scale = {3};
        problem.process.tree.count[at(t)] = 2;
        problem.process.tree.values[at(t)] = {-1, 1};
    }
    EXPECT_FALSE(Alone(problem).engine.bounds_apart());

    problem.process.non_negativity = NonNegativity::truncation;
    const Alone truncated(problem);
    const auto& engine = truncated.engine;
    ASSERT_TRUE(engine.bounds_apart());
    EXPECT_EQ(engine.unit(1, nullptr, state).pool, &engine.pools[1]);
    EXPECT_EQ(engine.unit(1, nullptr, state).bounding, &engine.bounding_pools[1]);
    EXPECT_EQ(engine.bounding_unit(1, nullptr, state).pool, &engine.bounding_pools[1]);
    EXPECT_EQ(engine.bounding_unit(2, nullptr, state).pool, nullptr);

    problem.process.bound_slopes = BoundSlopes::tangent;
    EXPECT_FALSE(Alone(problem).engine.bounds_apart());
}

TEST(EngineTest, TheWorkingSetHoldsCutsOfThisAndTheLastIteration) {
    Alone alone(three_stages());
    auto& pool = alone.engine.pools[0];
    for (const int iteration : {1, 2, 3, 4}) {
        pool.add(0, std::vector<double>{0, 0}, iteration, 0);
    }
    pool.mark_active(0, 3);
    alone.engine.refresh_working_set(0, 4);
    EXPECT_THAT(alone.engine.working_sets[0], ElementsAre(0, 2, 3));
    alone.engine.refresh_working_set(0, 9);
    EXPECT_THAT(alone.engine.working_sets[0], IsEmpty());
}

TEST(EngineTest, OrdersAllOpeningsOnce) {
    const auto problem = test::random_problem(3);
    SolverSetup plain;
    plain.speed.ordered_openings = false;
    const Alone ordered(problem);
    const Alone as_given(problem, plain);
    for (int t = 0; t < problem.stage_count(); ++t) {
        std::vector<int> numbers(at(problem.process.tree.count[at(t)]));
        std::iota(numbers.begin(), numbers.end(), 0);
        EXPECT_EQ(as_given.engine.opening_orders[at(t)], numbers);
        EXPECT_TRUE(std::ranges::is_permutation(ordered.engine.opening_orders[at(t)], numbers));
    }
}

TEST(EngineTest, RunsEachItemOnce) {
    Alone alone(three_stages());
    std::vector<std::atomic<int>> runs(50);
    const auto failure = alone.engine.run(0, 50, [&](std::ptrdiff_t item, Worker& worker) {
        EXPECT_EQ(worker.thread, 0);
        ++runs[at(item)];
    });
    EXPECT_FALSE(failure);
    EXPECT_TRUE(std::ranges::all_of(runs, [](const auto& count) { return count == 1; }));
}

TEST(EngineTest, ReportsTheFailureOfTheLowestItemOfAllRanks) {
    const auto problem = three_stages();
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{ranks, threads};
        HydroModel model(problem, {});
        Engine engine(model, {}, team);
        const auto first = 10 * ranks.rank();
        const auto failure = engine.run(first, 10, [&](std::ptrdiff_t item, Worker&) {
            if (const auto number = static_cast<int>(first + item); number >= 14) {
                Failure found;
                found.phase = Phase::backward;
                found.status = lp::Status::numerical_failure;
                found.scenario = number;
                found.conflicting_rows = {"a row", "", "another: row"};
                found.mps = "NAME";
                throw StageFailure(found);
            }
        });
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->scenario, 14);
        EXPECT_EQ(failure->phase, Phase::backward);
        EXPECT_EQ(failure->status, lp::Status::numerical_failure);
        EXPECT_EQ(failure->mps, "NAME");
        EXPECT_THAT(failure->conflicting_rows, ElementsAre("a row", "", "another: row"));
    });
}

TEST(EngineTest, OtherExceptionsLeaveIt) {
    Alone alone(three_stages());
    EXPECT_THROW(alone.engine.run(0, 3, [](std::ptrdiff_t, Worker&) { throw std::bad_alloc(); }),
                 std::bad_alloc);
}

TEST(EngineTest, PilotBasesReachThroughAllStagesThatHaveAnAnswer) {
    Alone alone(three_stages());
    for (const auto& basis : alone.engine.pilot_bases()) {
        EXPECT_FALSE(basis.empty());
    }
    EXPECT_EQ(alone.engine.take_work().units, 3);
    EXPECT_EQ(alone.engine.take_work().units, 0);

    auto problem = three_stages();
    problem.system.hydros[0].min_storage_hm3[1] = 90;
    Alone stuck(problem);
    const auto bases = stuck.engine.pilot_bases();
    EXPECT_FALSE(bases[0].empty());
    EXPECT_TRUE(bases[1].empty());
    EXPECT_TRUE(bases[2].empty());
}

}  // namespace
}  // namespace lockstep::sddp
