// Acceptance of reinforcement learning, row 9: one problem, three engines. The values of
// golden.json were computed from the linear program of the scenario tree (rl.md 3.7).

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/sddp/train.hpp"

#include "support/path_samplers.hpp"
#include "support/rl/greedy.hpp"
#include "support/rl/learning.hpp"
#include "support/rl_data.hpp"
#include "support/tiny_problem.hpp"
#include "support/train_run.hpp"

namespace lockstep {
namespace {

constexpr double hours = 1000;
constexpr double unit_hm3 = 3.6;  // 1 m³/s for so long, which gives 1 MW

sddp::Problem reservoir(int stages, int first_volume) {
    // One stage before, in which nothing happens: the first inflow is as random as the others.
    auto problem = test::tiny_problem(stages + 1, hours);
    test::add_tiny_hydro(problem, first_volume * unit_hm3, 20 * unit_hm3);
    auto& plant = problem.system.hydros[0];
    plant.max_turbined_m3s = sddp::ByBlock(problem.calendar, 8);
    plant.groups[0].max_turbined_m3s = plant.max_turbined_m3s;
    problem.system.thermals = {test::tiny_thermal(problem, 10, 4),
                               test::tiny_thermal(problem, 25, 4)};
    problem.system.buses[0].mean_load_mw.assign(at(stages + 1), 10);
    problem.system.buses[0].mean_load_mw[0] = 0;
    auto& tree = problem.process.tree;
    for (int t = 1; t <= stages; ++t) {
        problem.process.inflow.stages[at(t)].scale = {1};
        problem.calendar.stages[at(t)].openings = tree.count[at(t)] = 3;
        tree.values[at(t)] = {0, 3, 7};
    }
    problem.process.training =
        std::make_shared<test::EveryPath>(std::make_shared<sddp::OpeningTree>(tree));
    return problem;
}

double value_by_sddp(int stages, int first_volume) {
    const auto problem = reservoir(stages, first_volume);
    auto options = test::with_iterations({}, 12);
    options.forward_passes = test::path_count(problem.process.tree);
    return test::train_alone(problem, options).lower_bound / hours;
}

rl::AnyEnvironment environment_of(int stages, int first_volume) {
    return rl::make_environment("reservoir",
                                {{"stages", std::to_string(stages)},
                                 {"first_volume", std::to_string(first_volume)},
                                 {"inflows", "0,3,7"}});
}

double value_by_dynamic_programming(const rl::Model& model) {
    rl::SolveOptions options;
    options.gamma = 1;
    options.tolerance = 1e-10;
    runtime::ThreadTeam team(1);
    rl::SolveObserver observer;
    const auto solution = rl::solve(model, options, team, observer);
    double value = 0;
    for (const auto& start : model.starts()) {
        value += start.probability * solution.value[at(start.state)];
    }
    return value;
}

TEST(AcceptanceRow9, ReservoirHasOneValueInThreeEngines) {
    const auto golden = test::rl_data("golden.json");
    for (const int stages : {2, 3, 4}) {
        for (const int volume : {3, 10}) {
            SCOPED_TRACE(std::to_string(stages) + " stages from " + std::to_string(volume));
            const double exact = test::number(test::member(
                golden,
                {"reservoir", "lp_equality", "T", std::to_string(stages), std::to_string(volume)}));
            const auto world = rl::make_world(environment_of(stages, volume));
            const auto model = *world->model();
            EXPECT_NEAR(value_by_dynamic_programming(model), -exact, 1e-9);
            EXPECT_NEAR(value_by_sddp(stages, volume), exact, 1e-9 * exact);

            rl::LearnOptions options;
            options.steps = 2'000'000;
            options.discount_factor = 1;
            options.exploration.level = rl::parse_schedule("0.3");
            const auto table = test::learn_alone(*world, options).table;
            EXPECT_NEAR(test::greedy_value(model, table, 1), -exact, 0.01 * exact);
        }
    }
}

}  // namespace
}  // namespace lockstep
