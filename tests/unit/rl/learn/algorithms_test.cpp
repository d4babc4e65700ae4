// Learners against exact optima that others computed (tests/data/rl), on several seeds.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/rl/learn.hpp"

#include "support/rl/greedy.hpp"
#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::Algorithm;
using rl::LearnOptions;
using rl::Mode;

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
        EXPECT_GE(test::greedy_value(*world, result.table, 0.99), 0.96 * 0.542025932) << seed;
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

}  // namespace
}  // namespace lockstep
