#include "lockstep/sddp/train.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "sddp/passes/work/work_counts.hpp"
#include "support/path_samplers.hpp"
#include "support/random_system.hpp"
#include "support/tiny_problem.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

using testing::HasSubstr;

TrainOptions iterations(int count) {
    return test::with_iterations({}, count);
}

/// Always opening 0 of a tree with one opening.
class OnlyOpening final : public TrajectorySampler {
public:
    void draw(int, int, int, int, std::span<double> noise) const override {
        std::fill(noise.begin(), noise.end(), 0.0);
    }
};

/// A plant of 1 MW/(m³/s) with 36 hm³, a load of 10 MW, two stages of 1000 h, deficit at 100 $/MWh.
Problem two_stages() {
    auto problem = test::tiny_problem(2, 1000);
    test::add_tiny_hydro(problem, 36, 100);
    problem.system.hydros[0].name = "DAM";
    problem.system.buses[0].mean_load_mw = {10, 10};
    problem.process.training = problem.process.simulation = std::make_shared<OnlyOpening>();
    return problem;
}

// 36 hm³ are 10 MW for 1000 h: one stage is served, the other is a deficit of 10 MW · 1000 h · 100
// $/MWh.
TEST(TrainTest, SharesWaterBetweenTwoStages) {
    const auto result = test::train_alone(two_stages(), iterations(4));
    EXPECT_NEAR(result.lower_bound, 1e6, 1e-3);
    EXPECT_NEAR(result.upper_bound, 1e6, 1e-3);
    EXPECT_EQ(result.stop, StopReason::iteration_limit);
    EXPECT_EQ(result.policy.stages[0].size(), 4);
    EXPECT_EQ(result.policy.stages[1].size(), 0);
    // A hm³ more is 1/3.6 MW over 1000 h at 100 $/MWh.
    EXPECT_NEAR(result.policy.stages[0].slopes.row(0)[0], -1e5 / 3.6, 1e-6);
}

// The first trajectory spends the water, and a cut without storages takes what its lack costs for
// what everything costs. With water kept, thermal power for one stage is all that is paid.
TEST(TrainTest, CutsWithoutStoragesBoundNothing) {
    auto problem = two_stages();
    problem.system.thermals = {test::tiny_thermal(problem, 10, 10)};
    problem.system.thermals[0].max_mw(1, 0) = 0;
    EXPECT_NEAR(test::train_alone(problem, iterations(4)).lower_bound, 1e5, 1e-3);
    EXPECT_TRUE(has_valid_bound(problem.calendar, problem.process));
    problem.calendar.stages[1].storage_in_cuts = false;
    EXPECT_GT(test::train_alone(problem, iterations(4)).lower_bound, 9e5);
    EXPECT_FALSE(has_valid_bound(problem.calendar, problem.process));
}

/// Thermal power of cents, a load of 25.8 MW that never fails in the end, a penalty of 1.4 million.
Problem cents_beside_a_penalty() {
    constexpr double little = 5.875696450158693e-05;
    auto problem = test::tiny_problem(4, 730);
    test::add_tiny_hydro(problem, 117.66, 120);
    auto& plant = problem.system.hydros[0];
    plant.max_turbined_m3s = plant.max_generation_mw = ByBlock(problem.calendar, 60);
    plant.groups[0].max_turbined_m3s = plant.groups[0].max_generation_mw = plant.max_turbined_m3s;
    HydroCosts costs;
    costs.turbined = costs.spillage = little;
    plant.costs = std::vector<HydroCosts>(4, costs);
    problem.system.thermals = {test::tiny_thermal(problem, 0.010930036762995527, 10),
                               test::tiny_thermal(problem, 0.3075239759626435, 10)};
    auto& bus = problem.system.buses[0];
    bus.deficit[0].cost = 1409223.8917831203;
    bus.excess_cost = ByBlock(problem.calendar, little);
    bus.mean_load_mw.assign(4, 25.804936138411627);
    auto& tree = problem.process.tree;
    tree.values[0] = {20};
    problem.process.inflow.stages[0].scale = {1};
    for (int t = 1; t < 4; ++t) {
        problem.process.inflow.stages[at(t)].scale = {1};
        problem.calendar.stages[at(t)].openings = tree.count[at(t)] = 3;
        tree.values[at(t)] = {8, 12, 40};
    }
    problem.process.training =
        std::make_shared<test::EveryPath>(std::make_shared<OpeningTree>(tree));
    return problem;
}

// The optimum was computed with rational numbers, by dynamic programming on piecewise linear
// functions. A future cost that is told to a cent stalled at 26.0792.
TEST(TrainTest, TellsSmallCostsBesideAPenalty) {
    const auto problem = cents_beside_a_penalty();
    for (const auto solver : {lp::SolverKind::clp, lp::SolverKind::highs}) {
        auto options = iterations(20);
        options.forward_passes = test::path_count(problem.process.tree);
        options.solver = solver;
        if (lp::is_built(solver)) {
            EXPECT_NEAR(test::train_alone(problem, options).lower_bound, 26.079824499778926, 1e-9);
        }
    }
}

// The water that must be there is not: inflow -20 m³/s, nothing stored, no slack to buy it.
TEST(TrainTest, NamesWhatConflictsInAnInfeasibleStage) {
    auto problem = two_stages();
    problem.process.inflow.stages[1].base[0] = -20;
    problem.system.hydros[0].max_storage_hm3[0] = 10;

    const auto result = test::train_alone(problem, iterations(4));

    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.stop, StopReason::infeasible);
    EXPECT_EQ(result.failure->phase, Phase::forward);
    EXPECT_EQ(result.failure->iteration, 1);
    EXPECT_EQ(result.failure->stage, 1);
    EXPECT_EQ(result.failure->status, lp::Status::infeasible);
    EXPECT_THAT(result.failure->conflicting_rows, testing::Contains("water_balance DAM"));
    EXPECT_THAT(result.failure->mps, HasSubstr("ROWS"));
    EXPECT_TRUE(result.iterations.empty());
}

TEST(TrainTest, TheFailureIsTheSameOnEveryRank) {
    auto problem = two_stages();
    problem.process.inflow.stages[1].base[0] = -20;
    problem.system.hydros[0].max_storage_hm3[0] = 10;
    comm::run_in_process(3, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{communicator, threads};
        Observer silent;
        auto options = iterations(4);
        options.forward_passes = 2;  // the third rank has no trajectory
        const auto result = train(problem, options, team, silent);
        ASSERT_TRUE(result.failure);
        EXPECT_EQ(result.failure->scenario, 0);
        EXPECT_THAT(result.failure->conflicting_rows, testing::Contains("water_balance DAM"));
    });
}

class StopAfter final : public Observer {
public:
    explicit StopAfter(int iterations) : left_(iterations) {}
    void on_iteration(const IterationReport&) override { --left_; }
    bool stop_requested() override { return left_ <= 0; }

private:
    int left_;
};

TEST(TrainTest, EndsAfterTheIterationWhenAnyRankAsks) {
    const auto problem = two_stages();
    comm::run_in_process(2, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(1);
        runtime::Team team{communicator, threads};
        StopAfter observer(communicator.rank() == 1 ? 2 : 1000);
        const auto result = train(problem, iterations(50), team, observer);
        EXPECT_EQ(result.stop, StopReason::cancelled);
        EXPECT_EQ(result.iterations.size(), 2u);
        EXPECT_EQ(result.policy.stages[0].size(), 2);
    });
}

TEST(TrainTest, RefusesOptionsThatNeverEndOrDoNothing) {
    const auto problem = two_stages();
    auto options = iterations(3);
    options.forward_passes = 0;
    EXPECT_THROW(test::train_alone(problem, options), InputError);
    options = {};
    options.stopping = {{StoppingRule::Kind::time_limit, 0, 5, 0}};
    EXPECT_THROW(test::train_alone(problem, options), InputError);
}

TEST(TrainTest, ReportsEachIterationOnce) {
    const auto result = test::train_alone(two_stages(), iterations(3));
    ASSERT_EQ(result.iterations.size(), 3u);
    for (int i = 0; i < 3; ++i) {
        const auto& report = result.iterations[at(i)];
        EXPECT_EQ(report.iteration, i + 1);
        EXPECT_EQ(report.cuts_added, 1);
        EXPECT_EQ(report.cuts_active, i + 1);
        EXPECT_EQ(report.forward.units, 2);
        EXPECT_EQ(report.backward.units, 1);
    }
}

TEST(TrainTest, CountsWorkOverAllRanks) {
    const auto problem = test::random_problem(3);
    auto options = iterations(3);
    options.forward_passes = 4;
    const auto alone = test::train_alone(problem, options).iterations.back();
    comm::run_in_process(3, [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(2);
        runtime::Team team{communicator, threads};
        Observer silent;
        const auto shared = train(problem, options, team, silent).iterations.back();
        EXPECT_EQ(shared.forward.solves, alone.forward.solves);
        EXPECT_EQ(shared.backward.solves, alone.backward.solves);
        EXPECT_EQ(shared.backward.pivots, alone.backward.pivots);
        EXPECT_EQ(shared.bound.solves, alone.bound.solves);
        EXPECT_EQ(shared.mean_cuts_in_lp, alone.mean_cuts_in_lp);
    });
}

using Counts = std::vector<std::int64_t>;

Counts counts_of(const PhaseReport& work) {
    Counts counts{work.solves, work.pivots, work.warm_starts};
    counts.insert(counts.end(), work.retried.begin(), work.retried.end());
    return counts;
}

/// Pass, stage, opening and counts of every row.
std::vector<Counts> listed(const WorkTable& table) {
    std::vector<Counts> out;
    for (const auto& row : table.rows()) {
        out.push_back({row.pass == WorkRow::Pass::backward ? 1 : 0, row.stage, row.opening});
        const auto counts = counts_of(row.work);
        out.back().insert(out.back().end(), counts.begin(), counts.end());
    }
    return out;
}

TEST(TrainTest, TellsWorkByStageAndOpeningOverAllRanks) {
    const auto problem = test::random_problem(3);
    auto options = iterations(3);
    options.forward_passes = 4;
    const auto alone = listed(test::train_alone(problem, options).iterations.back().work);
    const auto& openings = problem.process.tree.count;
    EXPECT_EQ(static_cast<int>(alone.size()),
              problem.stage_count() + std::accumulate(openings.begin() + 1, openings.end(), 0));
    for (const int ranks : {1, 2, 3}) {
        comm::run_in_process(ranks, [&](comm::Communicator& communicator) {
            runtime::ThreadTeam threads(2);
            runtime::Team team{communicator, threads};
            Observer silent;
            EXPECT_EQ(listed(train(problem, options, team, silent).iterations.back().work), alone)
                << ranks << " ranks";
        });
    }
}

TEST(TrainTest, WorkByStageAndOpeningAddsUpToThatOfThePhases) {
    auto options = iterations(3);
    options.forward_passes = 4;
    for (const auto& report : test::train_alone(test::random_problem(3), options).iterations) {
        std::array<PhaseReport, 2> sum;
        for (const auto& row : report.work.rows()) {
            add(row.work, sum[row.pass == WorkRow::Pass::forward ? 0 : 1]);
        }
        EXPECT_EQ(counts_of(sum[0]), counts_of(report.forward));
        EXPECT_EQ(counts_of(sum[1]), counts_of(report.backward));
        EXPECT_GT(report.backward.warm_starts, 0);
        EXPECT_NEAR(sum[1].solve_seconds, report.backward.solve_seconds, 1e-5);
        EXPECT_NEAR(sum[1].load_seconds, report.backward.load_seconds, 1e-5);
    }
}

TEST(WorkTableTest, GivesBackItsRows) {
    PhaseReport work;
    work.solves = 3;
    work.pivots = std::int64_t{1} << 40;
    work.warm_starts = 200;
    work.retried = {0, 5, 0, 0, 300};
    work.solve_seconds = 12.5;
    work.basis_seconds = 0.25e-6;
    const WorkTable table(std::vector<WorkRow>{{WorkRow::Pass::forward, 0, -1, {}},
                                               {WorkRow::Pass::backward, 70, 199, work}});

    std::vector<Counts> expected{{0, 0, -1}, {1, 70, 199, 3, work.pivots, 200, 0, 5, 0, 0, 300}};
    for (auto& row : expected) {
        row.resize(6 + work.retried.size());  // no other retries
    }
    EXPECT_EQ(listed(WorkTable(table.bytes())), expected);
    EXPECT_EQ(table.rows()[1].work.solve_seconds, 12.5);
    EXPECT_NEAR(table.rows()[1].work.basis_seconds, 0.25e-6, 0.5e-7 + 1e-15);
}

TEST(WorkTableTest, SaysThatItsBytesAreCutOff) {
    const WorkTable table(std::vector<WorkRow>{{WorkRow::Pass::backward, 70, 199, {}}});
    auto bytes = table.bytes();
    bytes.pop_back();
    EXPECT_THROW((void)WorkTable(bytes).rows(), InputError);
}

TEST(TrainTest, TellsHowEachStageIsScaled) {
    const auto scaling = test::train_alone(two_stages(), iterations(1)).scaling;
    ASSERT_EQ(scaling.size(), 2u);
    for (const auto& stage : scaling) {
        EXPECT_GT(stage.entries, 0u);
        EXPECT_EQ(stage.objective_scale, std::ldexp(1.0, std::ilogb(stage.objective_scale)));
        EXPECT_EQ(stage.objective_in_dollars.most, 100 * 1000);  // a MW of deficit for 1000 h
        EXPECT_LE(stage.objective.ratio(), stage.objective_in_dollars.ratio());
    }
}

TEST(SimulateTest, TellsTheWorkOfEachScenarioOnEveryRank) {
    const auto problem = test::random_problem(3);
    const auto policy = test::train_alone(problem, iterations(2)).policy;
    SimulateOptions options;
    options.scenarios = 10;
    const auto run = [&](comm::Communicator& communicator) {
        runtime::ThreadTeam threads(2);
        runtime::Team team{communicator, threads};
        Observer silent;
        return simulate(problem, policy, options, team, silent).scenario_work;
    };
    const auto alone = run(*comm::make_local());
    ASSERT_EQ(alone.size(), 10u);
    comm::run_in_process(3, [&](comm::Communicator& communicator) {
        const auto shared = run(communicator);
        ASSERT_EQ(shared.size(), alone.size());
        for (std::size_t i = 0; i < alone.size(); ++i) {
            EXPECT_EQ(shared[i].units, problem.stage_count());
            EXPECT_EQ(shared[i].solves, alone[i].solves);
            EXPECT_EQ(shared[i].pivots, alone[i].pivots);
            EXPECT_EQ(shared[i].retried, alone[i].retried);
        }
    });
}

TEST(TrainTest, AHorizonOfOneStageHasNoCuts) {
    auto problem = test::tiny_problem(1, 100);
    problem.system.buses[0].mean_load_mw = {3};
    problem.process.training = problem.process.simulation = std::make_shared<OnlyOpening>();
    const auto result = test::train_alone(problem, iterations(2));
    EXPECT_NEAR(result.lower_bound, 3 * 100 * 100, 1e-6);
    EXPECT_EQ(result.policy.stages[0].size(), 0);
}

TEST(SimulateTest, RefusesThePolicyOfAnotherProblem) {
    const auto problem = two_stages();
    const auto trained = test::train_alone(problem, iterations(2));
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    Observer silent;
    auto other = trained.policy;
    other.stages.pop_back();
    EXPECT_THROW(simulate(problem, other, {}, team, silent), InputError);
    other = trained.policy;
    other.stages[0].slopes = CutSlopes({5, 0, 0});
    EXPECT_THROW(simulate(problem, other, {}, team, silent), InputError);
}

TEST(CurtailmentConstantTest, IsTheDiscountedCostOfAllThatIsAvailable) {
    auto problem = two_stages();
    problem.calendar.stages[0].annual_discount_rate = 0.1;
    NonControllable wind;
    wind.bus = 0;
    wind.available_mw = {5, 7};
    wind.in_service = {1, 1};
    wind.factor = ByBlock(problem.calendar, 2);
    wind.curtailment_cost = ByBlock(problem.calendar, 0.5);
    wind.curtailment_cost(1, 0) = 0.25;
    wind.mean = wind.std = {0, 0};
    problem.system.sources.push_back(wind);
    const double step = std::pow(1.1, -30 / 365.25);
    EXPECT_NEAR(curtailment_constant(problem), 0.5 * 1000 * 10 + step * 0.25 * 1000 * 14, 1e-9);
}

SimulateResult simulate_alone(const Problem& problem, const Policy& policy) {
    SimulateOptions options;
    options.scenarios = 3;
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    Observer silent;
    return simulate(problem, policy, options, team, silent);
}

TEST(SimulateTest, AConvergedDeterministicProblemCostsItsBound) {
    const auto problem = two_stages();
    const auto trained = test::train_alone(problem, iterations(4));
    ASSERT_EQ(trained.policy.starts.size(), 2u);

    const auto result = simulate_alone(problem, trained.policy);

    EXPECT_NEAR(result.mean, trained.lower_bound, 1e-3);
    EXPECT_EQ(result.work.solves, result.work.units);  // no cut was missing
    EXPECT_EQ(result.work.pivots, 0);
}

TEST(SimulateTest, RefusesADamagedStartAndLeavesOneOfAnotherLp) {
    const auto problem = two_stages();
    auto policy = test::train_alone(problem, iterations(4)).policy;
    const auto whole = policy.starts;
    const double mean = simulate_alone(problem, policy).mean;

    for (std::size_t length = 0; length < whole[0].size(); ++length) {
        policy.starts[0].resize(length);
        EXPECT_THROW(simulate_alone(problem, policy), InputError) << length;
        policy.starts[0] = whole[0];
    }
    for (std::size_t place = 0; place < whole[0].size(); ++place) {
        policy.starts[0][place] ^= std::byte{255};
        try {
            EXPECT_NEAR(simulate_alone(problem, policy).mean, mean, 1e-3) << place;
        } catch (const InputError&) {
        }
        policy.starts[0] = whole[0];
    }
}

}  // namespace
}  // namespace lockstep::sddp
