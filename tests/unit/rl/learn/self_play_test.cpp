// One table plays both sides, by every algorithm but plain Q-learning (algorithms_test): what it
// learns is held against exact best responses.

#include <string>

#include <gtest/gtest.h>

#include "lockstep/rl/games/tic_tac_toe_game.hpp"
#include "lockstep/rl/learn.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

using rl::Algorithm;
using rl::LearnOptions;

struct Task {
    const char* name;
    Algorithm algorithm;
    std::int64_t steps;
};

void PrintTo(const Task& task, std::ostream* out) {
    *out << task.name;
}

class SelfPlayBy : public testing::TestWithParam<Task> {};

INSTANTIATE_TEST_SUITE_P(Algorithms,
                         SelfPlayBy,
                         testing::Values(Task{"double_q", Algorithm::double_q, 3'000'000},
                                         Task{"n_step", Algorithm::n_step_q, 3'000'000},
                                         Task{"traces", Algorithm::q_lambda, 3'000'000},
                                         Task{"speedy", Algorithm::speedy_q, 3'000'000},
                                         Task{"dyna", Algorithm::dyna_q, 300'000},
                                         Task{
                                             "sweeping", Algorithm::prioritized_sweeping, 300'000}),
                         [](const auto& task) { return std::string(task.param.name); });

LearnOptions options_of(const Task& task) {
    LearnOptions options;
    options.algorithm = task.algorithm;
    options.mode = rl::Mode::serial;
    options.steps = task.steps;
    options.discount_factor = 1;
    options.exploration.level = rl::parse_schedule("0.5");
    options.seed = 3;
    return options;
}

TEST_P(SelfPlayBy, CannotBeExploitedInTheEnd) {
    const auto world = rl::make_world(rl::make_environment("TicTacToe-selfplay"));
    const auto result = test::learn_alone(*world, options_of(GetParam()));

    EXPECT_EQ(rl::exploitability(rl::policy_of(rl::greedy_moves(result.table.values))), 0);
}

// The test above can fail.
TEST(SelfPlayByItself, TellsThatTooFewGamesCanBeExploited) {
    const auto world = rl::make_world(rl::make_environment("TicTacToe-selfplay"));
    auto options = options_of({"", Algorithm::q_learning, 20'000});

    const auto result = test::learn_alone(*world, options);

    EXPECT_GT(rl::exploitability(rl::policy_of(rl::greedy_moves(result.table.values))), 0.1);
}

}  // namespace
}  // namespace lockstep
