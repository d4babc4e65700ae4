// Learners against exact optima that others computed (tests/data/rl), on several seeds.

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/rl/games/tic_tac_toe_game.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::Algorithm;
using rl::LearnOptions;
using rl::Mode;

/// Value of the start under the policy that is greedy for a table, exactly.
double greedy_value(const rl::World& world, const rl::QTable& table, double gamma) {
    const auto model = *world.model();
    std::vector<double> policy(table.values.size(), 0);
    for (int s = 0; s < table.states; ++s) {
        int best = -1;
        for (int a = 0; a < table.actions; ++a) {
            const auto row = static_cast<std::size_t>(s) * static_cast<std::size_t>(table.actions);
            const auto value = [&](int b) {
                return table.values[row + static_cast<std::size_t>(b)];
            };
            if (model.is_legal(s, a) && (best < 0 || value(a) > value(best))) {
                best = a;
            }
        }
        if (best >= 0) {
            policy[static_cast<std::size_t>(s) * static_cast<std::size_t>(table.actions) +
                   static_cast<std::size_t>(best)] = 1;
        }
    }
    rl::SolveOptions options;
    options.gamma = gamma;
    runtime::ThreadTeam team(1);
    rl::SolveObserver observer;
    const auto solution = rl::evaluate(model, policy, options, team, observer);
    double value = 0;
    for (const auto& start : model.starts()) {
        value += start.probability * solution.value[static_cast<std::size_t>(start.state)];
    }
    return value;
}

struct Task {
    const char* name;
    Algorithm algorithm;
    Mode mode;
    std::int64_t steps = 2'000'000;
};

std::string name_of(const testing::TestParamInfo<Task>& task) {
    auto name = std::string(task.param.name) + "_" + std::string(to_string(task.param.mode));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// FrozenLake 4x4, gamma 0.99: 0.542025932 (rl.md 3.2, from golden.json).
class Lake : public testing::TestWithParam<Task> {};

INSTANTIATE_TEST_SUITE_P(
    Algorithms,
    Lake,
    testing::Values(Task{"q", Algorithm::q_learning, Mode::serial},
                    Task{"q", Algorithm::q_learning, Mode::vector},
                    Task{"q", Algorithm::q_learning, Mode::threads},
                    Task{"q", Algorithm::q_learning, Mode::hogwild},
                    Task{"q", Algorithm::q_learning, Mode::actor_learner},
                    Task{"double", Algorithm::double_q, Mode::serial},
                    Task{"double", Algorithm::double_q, Mode::vector},
                    Task{"double", Algorithm::double_q, Mode::threads},
                    Task{"n_step", Algorithm::n_step_q, Mode::serial},
                    Task{"n_step", Algorithm::n_step_q, Mode::threads},
                    Task{"lambda", Algorithm::q_lambda, Mode::serial},
                    Task{"speedy", Algorithm::speedy_q, Mode::serial},
                    Task{"dyna", Algorithm::dyna_q, Mode::serial, 300'000},
                    Task{"sweeping", Algorithm::prioritized_sweeping, Mode::serial, 60'000}),
    name_of);

TEST_P(Lake, IsWithinFourPerCentOfTheOptimumOnEverySeed) {
    const auto world = rl::make_world(rl::make_environment("FrozenLake-v1"));
    LearnOptions options;
    options.algorithm = GetParam().algorithm;
    options.mode = GetParam().mode;
    options.steps = GetParam().steps;
    options.sync_frequency = options.mode == Mode::actor_learner ? 10 : 500;
    options.exploration.level = rl::parse_schedule("0.5");
    options.learning_rate = rl::parse_step_size("101/(100+n)");
    options.n_steps = 3;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        options.seed = seed;
        const auto result = test::learn_alone(*world, options);
        EXPECT_GE(greedy_value(*world, result.table, 0.99), 0.96 * 0.542025932) << seed;
    }
}

// The contrast of a cliff, rl.md 3.3: fixed point of expected SARSA at epsilon 0.1 is -20.707677
// from the start, the optimum -13.
TEST(Cliff, SarsaLearnsWhatExploringIsWorthAndQLearningTheOptimum) {
    const auto world = rl::make_world(rl::make_environment("CliffWalking-v1"));
    LearnOptions options;
    options.mode = Mode::serial;
    options.steps = 3'000'000;
    options.discount_factor = 1;
    options.exploration.level = rl::parse_schedule("0.1");
    options.learning_rate = rl::parse_step_size("n^-0.6");
    const auto start_value = [&](Algorithm algorithm) {
        options.algorithm = algorithm;
        const auto table = test::learn_alone(*world, options).table;
        double best = -1e9;
        double sum = 0;
        for (std::size_t a = 0; a < 4; ++a) {
            best = std::max(best, table.values[36 * 4 + a]);
            sum += table.values[36 * 4 + a];
        }
        return algorithm == Algorithm::q_learning ? best : 0.9 * best + 0.1 * sum / 4;
    };
    EXPECT_NEAR(start_value(Algorithm::q_learning), -13, 1e-6);
    EXPECT_NEAR(start_value(Algorithm::expected_sarsa), -20.707677, 0.8);
    EXPECT_NEAR(start_value(Algorithm::sarsa), -20.707677, 1.5);
    EXPECT_NEAR(start_value(Algorithm::sarsa_lambda), -20.707677, 2.5);
    EXPECT_NEAR(start_value(Algorithm::n_step_sarsa), -20.707677, 2.5);
}

// rl.md 8, row 3: the game's value is 0, and no best response gains anything.
TEST(SelfPlay, IsNotExploitableAfterEnoughGames) {
    const auto world = rl::make_world(rl::make_environment("TicTacToe-selfplay"));
    LearnOptions options;
    options.steps = 3'000'000;
    options.discount_factor = 1;
    options.learning_rate = rl::parse_step_size("0.5");
    options.exploration.level = rl::parse_schedule("0.5");
    for (const auto mode : {Mode::serial, Mode::threads, Mode::vector}) {
        options.mode = mode;
        const auto table = test::learn_alone(*world, options).table;
        const auto policy = rl::policy_of(rl::greedy_moves(table.values));
        EXPECT_EQ(rl::exploitability(policy), 0) << to_string(mode);
    }
}

// rl.md 8, row 3: at least 0.9593 of 0.959830, whatever the seed.
TEST(TicTacToe, IsPlayedOptimallyAfterTwentyMillionTransitions) {
    const auto world = rl::make_world(rl::make_environment("tictactoe"));
    LearnOptions options;
    options.mode = Mode::serial;
    options.steps = 20'000'000;
    options.discount_factor = 1;
    options.exploration.level = rl::parse_schedule("0.3");
    options.learning_rate = rl::parse_step_size("n^-0.65");
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        options.seed = seed;
        const auto table = test::learn_alone(*world, options).table;
        EXPECT_GE(greedy_value(*world, table, 1), 0.9593) << seed;
    }
}

}  // namespace
}  // namespace lockstep
