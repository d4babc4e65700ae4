// Acceptance of reinforcement learning, row 3: TicTacToe against exact values.

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/rl/games/tic_tac_toe_game.hpp"
#include "lockstep/rl/learn.hpp"

#include "support/rl/greedy.hpp"
#include "support/rl/learning.hpp"
#include "support/rl/seeds.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using rl::Mode;
using test::for_each_seed;
using test::serial;

std::vector<double> learned_values(const rl::World& world, LearnOptions options) {
    const auto model = *world.model();
    return for_each_seed([&](std::uint64_t seed) {
        auto own = options;
        own.seed = seed;
        return test::greedy_value(model, test::learn_alone(world, own).table, own.discount_factor);
    });
}

// In the mode that is usual: rounds of sixteen workers have less noise at the end than one learner.
TEST(AcceptanceRow3, TicTacToeIsPlayedOptimally) {
    const auto world = rl::make_world(rl::make_environment("tictactoe"));
    auto options = serial(20'000'000, "0.3", "n^-0.65", 1);
    options.mode = Mode::threads;
    const auto values = learned_values(*world, options);
    EXPECT_THAT(values, testing::Each(testing::AllOf(testing::Ge(0.9593), testing::Le(0.959830))));
}

TEST(AcceptanceRow3, ConstantStepsComeNear) {
    const auto world = rl::make_world(rl::make_environment("tictactoe"));
    auto options = serial(20'000'000, "0.1", "0.1", 1);
    options.mode = Mode::threads;
    EXPECT_THAT(learned_values(*world, options),
                testing::Each(testing::AllOf(testing::Ge(0.95), testing::Le(0.959830))));
}

TEST(AcceptanceRow3, SelfPlayIsNotExploitable) {
    const auto world = rl::make_world(rl::make_environment("TicTacToe-selfplay"));
    auto options = serial(3'000'000, "0.5", "0.5", 1);
    for (const auto mode : {Mode::serial, Mode::threads, Mode::vector}) {
        options.mode = mode;
        const auto table = test::learn_alone(*world, options).table;
        EXPECT_EQ(rl::exploitability(rl::policy_of(rl::greedy_moves(table.values))), 0)
            << to_string(mode);
    }
}

}  // namespace
}  // namespace lockstep
