#include "lockstep/rl/games/tic_tac_toe_self_play.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/games/tic_tac_toe_game.hpp"
#include "lockstep/rl/time_limit.hpp"

#include "support/rl/battery.hpp"

namespace lockstep::rl {
namespace {

static_assert(Modelled<TicTacToeSelfPlay>);
static_assert(is_alternating<TicTacToeSelfPlay>);
static_assert(is_alternating<TimeLimit<TicTacToeSelfPlay>>);
static_assert(!is_alternating<TicTacToe>);
static_assert(!is_alternating<TimeLimit<TicTacToe>>);

TEST(TicTacToeSelfPlayTest, StandsTheBattery) {
    test::run_battery(TicTacToeSelfPlay());
}

TEST(TicTacToeSelfPlayTest, SidesMoveInTurnAndTheMoverOfALineIsPaid) {
    const TicTacToeSelfPlay rules;
    StepDraws draws(1, 0, 0);
    auto episode = rules.reset(draws);
    for (const int cell : {0, 3, 1, 4}) {
        const Step step = rules.step(episode, cell, draws);
        EXPECT_EQ(step.reward, 0);
        EXPECT_FALSE(step.terminated);
    }
    EXPECT_EQ(episode.state, 6561 + 2187 + 2 * 243 + 2 * 81);
    auto lost = episode;
    const Step won = rules.step(episode, 2, draws);
    EXPECT_EQ(won, (Step{episode.state, 1, true, false}));
    static_cast<void>(rules.step(lost, 8, draws));
    EXPECT_EQ(rules.step(lost, 5, draws).reward, 1);  // nought's line
}

// Plain negamax Q-learning with one table: its play of both sides becomes perfect.
TEST(TicTacToeSelfPlayTest, LearnsPlayThatCannotBeExploited) {
    const TicTacToeSelfPlay rules;
    const Streams streams(1, "self-play");
    std::vector<double> values(at(rules.states()) * 9, 0);
    const auto best = [&](std::int32_t s, ActionMask legal) {
        int chosen = std::countr_zero(legal);
        for (int a = 0; a < 9; ++a) {
            if ((legal >> unsigned(a) & 1U) != 0 &&
                values[at(s) * 9 + at(a)] > values[at(s) * 9 + at(chosen)]) {
                chosen = a;
            }
        }
        return chosen;
    };
    std::uint64_t number = 0;
    for (int game = 0; game < 300'000; ++game) {
        StepDraws draws = streams.at(0, number++);
        auto episode = rules.reset(draws);
        for (bool is_over = false; !is_over;) {
            draws = streams.at(0, number++);
            const ActionMask legal = legal_actions(rules, episode);
            const std::int32_t s = episode.state;
            const auto count = static_cast<std::uint32_t>(std::popcount(legal));
            const int action =
                draws.uniform() < 0.5 ? nth_action(legal, draws.below(count)) : best(s, legal);
            const Step step = rules.step(episode, action, draws);
            double target = step.reward;
            if (!step.terminated) {
                const int reply = best(step.next, legal_actions(rules, episode));
                target -= values[at(step.next) * 9 + at(reply)];
            }
            double& value = values[at(s) * 9 + at(action)];
            value += 0.5 * (target - value);
            is_over = step.terminated;
        }
    }

    EXPECT_EQ(exploitability(policy_of(greedy_moves(values))), 0);
}

}  // namespace
}  // namespace lockstep::rl
