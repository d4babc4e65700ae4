#include "lockstep/rl/games/tic_tac_toe_game.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/tic_tac_toe.hpp"

#include "rl/games/tic_tac_toe_positions.hpp"
#include "support/rl_data.hpp"

namespace lockstep::rl {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Counts that are well known (rl.md of the project, section 3.1).
TEST(TicTacToePositionsTest, AreAsManyAsIsKnown) {
    const auto& positions = tic_tac_toe_positions();
    const auto over = std::count_if(positions.begin(), positions.end(), [](const auto& position) {
        return moves_in(position) == 0;
    });
    const auto of_cross =
        std::count_if(positions.begin(), positions.end(), [](const auto& position) {
            return moves_in(position) != 0 && position.mark == 1;
        });
    EXPECT_EQ(positions.size(), 5'478U);
    EXPECT_EQ(over, 958);
    EXPECT_EQ(of_cross, 2'423);
    EXPECT_EQ(5'478 - 958 - of_cross, 2'097);
}

TEST(TicTacToePositionsTest, AskForAMoveWhereTheEnvironmentDoes) {
    const TicTacToe game;
    for (const auto& position : tic_tac_toe_positions()) {
        ASSERT_EQ(moves_in(position), game.mask(position.state)) << position.state;
    }
}

TEST(TicTacToeGameTest, RandomPlayEndsAsIsKnown) {
    const auto random = random_tic_tac_toe();
    const GameResult result = play_exactly(random, random);

    EXPECT_NEAR(result.win, 737.0 / 1260, 1e-12);
    EXPECT_NEAR(result.draw, 8.0 / 63, 1e-12);
    EXPECT_NEAR(result.loss, 121.0 / 420, 1e-12);
    EXPECT_NEAR(result.value(), 187.0 / 630, 1e-12);
}

// Exact fractions: 191/192 for who moves first, 874/945 for who moves second.
TEST(TicTacToeGameTest, ABestResponseToRandomPlayIsWorthTheKnownFractions) {
    const auto random = random_tic_tac_toe();
    const BestResponse first = best_response(random, 1);
    const BestResponse second = best_response(random, 2);

    EXPECT_NEAR(first.value, 191.0 / 192, 1e-12);
    EXPECT_NEAR(second.value, 874.0 / 945, 1e-12);
    EXPECT_NEAR((first.value + second.value) / 2, 0.959829696, 1e-9);
    EXPECT_NEAR(exploitability(random), 0.959829696, 1e-9);
    EXPECT_EQ(first.moves[0], 0);  // a corner

    const GameResult played = play_exactly(policy_of(first.moves), random);
    EXPECT_NEAR(played.win, 0.994792, 5e-7);
    EXPECT_NEAR(played.draw, 0.005208, 5e-7);
    EXPECT_EQ(played.loss, 0);
    const GameResult answered = play_exactly(random, policy_of(second.moves));
    EXPECT_NEAR(-answered.value(), second.value, 1e-12);
}

// Optimal cells of all decision positions against random play, which nobody here computed.
TEST(TicTacToeGameTest, ABestResponseTakesAnOptimalCellEverywhere) {
    const io::Json data = test::rl_data("optimal.json");
    const auto random = random_tic_tac_toe();
    for (const int mark : {1, 2}) {
        const TicTacToeMoves moves = best_response(random, mark).moves;
        const io::Json& rows =
            test::member(data, {"tictactoe_vs_random", "1", "values", std::to_string(mark)});
        ASSERT_EQ(test::array(rows).size(), mark == 1 ? 2'423U : 2'097U);
        for (const io::Json& row : test::array(rows)) {
            const auto& cells = test::array(row);
            const std::int64_t state = test::integer(cells[0]);
            ASSERT_EQ(test::integer(cells[2]) >> moves[at(state)] & 1, 1) << "state " << state;
        }
    }
}

// Minimax play of both sides by the test's own recursion over boards.
class Minimax {
public:
    int value(std::array<int, 9>& board, int mark) {
        for (const auto& [a, b, c] : lines) {
            if (board[a] != 0 && board[a] == board[b] && board[b] == board[c]) {
                return board[a] == mark ? 1 : -1;
            }
        }
        int best = -2;
        for (int& cell : board) {
            if (cell == 0) {
                cell = mark;
                best = std::max(best, -value(board, 3 - mark));
                cell = 0;
            }
        }
        return best == -2 ? 0 : best;
    }

private:
    static constexpr std::array<std::array<std::size_t, 3>, 8> lines{
        {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}};
};

std::array<int, 9> board_of(std::int32_t state) {
    std::array<int, 9> board{};
    for (std::size_t cell = 9; cell-- > 0; state /= 3) {
        board[cell] = state % 3;
    }
    return board;
}

std::vector<double> minimax_values() {
    Minimax minimax;
    std::vector<double> values(std::size_t{19'683} * 9, 0);
    for (const auto& position : tic_tac_toe_positions()) {
        each_cell(moves_in(position), [&](int cell) {
            auto board = board_of(after(position, cell).state);
            values[at(position.state) * 9 + at(cell)] = -minimax.value(board, 3 - position.mark);
        });
    }
    return values;
}

TEST(TicTacToeGameTest, OptimalPlayCannotBeExploitedAndEndsInADraw) {
    const auto optimal = policy_of(greedy_moves(minimax_values()));

    EXPECT_EQ(exploitability(optimal), 0);
    EXPECT_EQ(play_exactly(optimal, optimal).draw, 1);
    EXPECT_EQ(best_response(optimal, 1).value, 0);
    EXPECT_EQ(best_response(optimal, 2).value, 0);
}

TEST(TicTacToeGameTest, OneBlunderIsExploited) {
    auto values = minimax_values();
    // Cross in the first corner: every answer but the centre loses.
    const std::size_t corner = 6561;
    values[corner * 9 + 1] = 5;

    const auto blunder = policy_of(greedy_moves(values));

    EXPECT_EQ(best_response(blunder, 1).value, 1);
    EXPECT_EQ(best_response(blunder, 2).value, 0);
    EXPECT_EQ(exploitability(blunder), 0.5);
}

TEST(TicTacToeGameTest, RefusesWhatIsNoPolicy) {
    auto policy = random_tic_tac_toe();
    policy[0] += 0.5;
    EXPECT_THAT([&] { play_exactly(policy, policy); },
                ThrowsMessage<InputError>(HasSubstr("state 0: the probabilities add up to 1.5")));
    EXPECT_NO_THROW(best_response(policy, 1));  // nought never sees the empty board
    policy = random_tic_tac_toe();
    policy[std::size_t{6561} * 9] = 0.125;
    EXPECT_THAT([&] { exploitability(policy); },
                ThrowsMessage<InputError>(HasSubstr("state 6561, action 0: probability 0.125")));
    policy[std::size_t{6561} * 9] = std::nan("");
    EXPECT_THROW(exploitability(policy), InputError);
    EXPECT_THROW(exploitability({}), InputError);
    EXPECT_THROW(best_response(random_tic_tac_toe(), 3), InputError);
    EXPECT_THROW(greedy_moves({}), InputError);
}

// PettingZoo's board is 0 3 6 / 1 4 7 / 2 5 8.
TEST(PettingZooTest, CountsCellsByColumns) {
    EXPECT_EQ(petting_zoo_cell(1), 3);
    EXPECT_EQ(petting_zoo_cell(3), 1);
    EXPECT_EQ(petting_zoo_cell(5), 7);
    for (int cell = 0; cell < 9; ++cell) {
        EXPECT_EQ(petting_zoo_cell(petting_zoo_cell(cell)), cell);
    }
    // Cross in the first row's middle, nought in the centre.
    const auto planes = petting_zoo_planes(2187 + 2 * 81, 2);
    EXPECT_EQ(std::count(planes.begin(), planes.end(), 1), 2);
    EXPECT_EQ(planes[2 * 4 + 0], 1);  // own
    EXPECT_EQ(planes[2 * 3 + 1], 1);  // the other one's
}

}  // namespace
}  // namespace lockstep::rl
