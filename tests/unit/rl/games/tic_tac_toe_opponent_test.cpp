#include "lockstep/rl/games/tic_tac_toe_opponent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "support/rl/battery.hpp"
#include "support/value_iteration.hpp"

namespace lockstep::rl {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Takes the lowest empty cell.
TicTacToeMoves lowest() {
    return greedy_moves(std::vector<double>(std::size_t{19'683} * 9, 0));
}

TEST(TicTacToeOpponentTest, StandsTheBattery) {
    test::run_battery(TicTacToeOpponent(lowest(), "the lowest cell"));
    test::run_battery(
        TicTacToeOpponent(best_response(random_tic_tac_toe(), 2).moves, "a best response"));
}

// The optimal value of the environment is that of a best response to the opponent, and two ways
// that share no line agree.
TEST(TicTacToeOpponentTest, IsWorthABestResponse) {
    const TicTacToeOpponent rules(lowest(), "the lowest cell");
    const Model model = rules.model().value();
    const test::ValueIteration iteration(model, 1);
    const auto values = iteration.optimal();
    const auto policy = policy_of(lowest());

    EXPECT_EQ(iteration.at_start(values),
              (best_response(policy, 1).value + best_response(policy, 2).value) / 2);
    EXPECT_EQ(values[0], best_response(policy, 1).value);
    EXPECT_EQ(rules.describe(),
              "TicTacToe against the lowest cell, a fair coin decides who begins");
}

TEST(TicTacToeOpponentTest, RefusesAnIllegalMove) {
    auto moves = lowest();
    moves[at(6561)] = 0;
    EXPECT_THAT(
        [&] { TicTacToeOpponent(moves, ""); },
        ThrowsMessage<InputError>(HasSubstr("state 6561: the opponent's move 0 is illegal")));
    EXPECT_THAT([&] { TicTacToeOpponent({}, ""); },
                ThrowsMessage<InputError>(HasSubstr("0 moves of an opponent")));
}

}  // namespace
}  // namespace lockstep::rl
