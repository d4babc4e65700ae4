#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/sddp/train.hpp"

#include "support/tiny_problem.hpp"
#include "support/train_run.hpp"

// Stages that go in a circle, for ever.
namespace lockstep::sddp {
namespace {

/// One of the two openings of each stage.
class Coin final : public TrajectorySampler {
public:
    void draw(int iteration,
              int scenario,
              int scenarios,
              int stage,
              std::span<double> noise) const override {
        EXPECT_LT(scenario, scenarios);  // stratified schemes have a place for so many
        std::mt19937_64 generator(
            static_cast<std::uint64_t>(1'000'000 * iteration + 10 * scenario + stage));
        const auto mix = generator();
        std::fill(noise.begin(), noise.end(), mix % 2 == 0 ? 1.0 : -1.0);
    }
};

constexpr double factor = 0.7;  // of a stage

/// A wet stage after a dry one, again and again; a load of 10 MW, thermal power for 6.
Problem seasons(int stages, int first = 0) {
    auto problem = test::tiny_problem(stages, 1000);
    test::add_tiny_hydro(problem, 10, 40);
    problem.system.buses[0].mean_load_mw.assign(at(stages), 10);
    problem.system.thermals = {test::tiny_thermal(problem, 10, 6)};
    for (int t = 0; t < stages; ++t) {
        problem.calendar.stages[at(t)].annual_discount_rate = std::pow(1 / factor, 365.25 / 30) - 1;
        auto& inflow = problem.process.inflow.stages[at(t)];
        inflow.base = {(t + first) % 2 == 0 ? 1.0 : 7.0};
        inflow.scale = {(t + first) % 2 == 0 ? 1.0 : 4.0};
        problem.process.tree.count[at(t)] = 2;
        problem.process.tree.values[at(t)] = {1, -1};
    }
    problem.process.training = problem.process.simulation = std::make_shared<Coin>();
    return problem;
}

Problem circle() {
    auto problem = seasons(2);
    problem.graph.back_to = 0;
    return problem;
}

TrainOptions options(int iterations) {
    TrainOptions out;
    out.forward_passes = 4;
    return test::with_iterations(out, iterations);
}

// 6 MW of thermal power at 10 $/MWh and 4 MW of deficit at 100: 460,000 $ a stage.
TEST(CircleTest, CostsForEverWithoutWaterAreAGeometricSum) {
    auto problem = circle();
    problem.system.hydros.clear();
    problem.process.layout.hydros = problem.process.inflow.hydros = 0;
    for (auto& stage : problem.process.inflow.stages) {
        stage = {};
    }
    problem.process.tree.dimension = 0;
    problem.process.tree.count = {1, 1};
    problem.process.tree.values = {{}, {}};
    const auto result = test::train_alone(problem, options(80));
    EXPECT_NEAR(result.lower_bound, 460e3 / (1 - factor), 1);
    ASSERT_EQ(result.season_bounds.size(), 2U);
    EXPECT_NEAR(result.season_bounds[1], 460e3 / (1 - factor), 1);
}

// After 45 stages nothing counts any more.
TEST(CircleTest, IsWorthWhatALongStudyIs) {
    const auto lengthy = test::train_alone(seasons(45), options(100));
    const auto result = test::train_alone(circle(), options(100));
    EXPECT_NEAR(result.lower_bound, lengthy.lower_bound, 1e-6 * lengthy.lower_bound);
    EXPECT_NEAR(result.season_bounds[0], result.lower_bound, 1e-9 * result.lower_bound);

    const auto from_wet = test::train_alone(seasons(45, 1), options(100));
    EXPECT_NEAR(result.season_bounds[1], from_wet.lower_bound, 2e-6 * from_wet.lower_bound);
}

TEST(CircleTest, MayBeginWithAStageThatNeverReturns) {
    auto problem = seasons(3);
    problem.graph.back_to = 1;
    const auto result = test::train_alone(problem, options(100));
    const auto plain = test::train_alone(circle(), options(100));
    EXPECT_NEAR(result.lower_bound, plain.lower_bound, 1e-5 * plain.lower_bound);
}

TEST(CircleTest, BoundsRiseAndRanksDoNotChangeABit) {
    const auto problem = circle();
    const auto result = test::train_alone(problem, options(20));
    for (std::size_t i = 1; i < result.iterations.size(); ++i) {
        EXPECT_GE(result.iterations[i].lower_bound, result.iterations[i - 1].lower_bound - 1e-6);
    }
    const auto reference = test::run_bits(problem, options(8), 7, 1, 1);
    EXPECT_EQ(test::run_bits(problem, options(8), 7, 1, 3), reference);
    EXPECT_EQ(test::run_bits(problem, options(8), 7, 3, 1), reference);
    const auto dies = [](int rank, std::int64_t call) { return rank == 1 && call == 60; };
    EXPECT_EQ(test::run_bits(problem, options(8), 7, 3, 1, dies), reference);
}

// Every passage has noise of its own, and its nodes numbers of their own.
TEST(CircleTest, ASimulationGoesRoundAsOftenAsItIsTold) {
    class Watch final : public Observer {
    public:
        void on_scenario(const ScenarioResult& result) override {
            cost += result.total_cost;
            stages = result.stages.size();
            for (const auto& stage : result.stages) {
                nodes.push_back(stage.node);
            }
        }
        double cost = 0;
        std::size_t stages = 0;
        std::vector<int> nodes;
    };
    const auto problem = circle();
    const auto trained = test::train_alone(problem, options(100));
    SimulateOptions simulate;
    simulate.scenarios = 400;
    simulate.cycles = 30;
    const auto communicator = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*communicator, threads};
    Watch watch;
    const auto result = sddp::simulate(problem, trained.policy, simulate, team, watch);
    EXPECT_EQ(watch.stages, 60U);
    EXPECT_EQ(watch.nodes[59], 59);
    EXPECT_NEAR(result.mean, trained.lower_bound, 2 * result.half_width_95);
}

TEST(CircleTest, HasNoPathsToEnumerateAndNoBoundFromWithin) {
    auto enumerated = options(3);
    enumerated.enumerated = true;
    EXPECT_THROW(test::train_alone(circle(), enumerated), InputError);
    auto within = options(3);
    within.inner.every = 1;
    EXPECT_THROW(test::train_alone(circle(), within), InputError);
    auto sampled = options(3);
    sampled.policy_cost.every = 1;
    for (const auto& refused : {enumerated, within, sampled}) {
        EXPECT_THROW(require_fit(circle(), refused), InputError);
    }
    EXPECT_NO_THROW(require_fit(circle(), options(3)));
}

}  // namespace
}  // namespace lockstep::sddp
