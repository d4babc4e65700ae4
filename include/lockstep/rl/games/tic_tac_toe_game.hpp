#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::rl {

// TicTacToe as a game of two: what policies are worth against each other, exactly, by one pass over
// the 5,478 positions that play can reach. States and cells are those of the environment TicTacToe;
// cross (1) moves first.

/// Probabilities of the cells, [19683 states, 9], in positions that ask for a move. One policy may
/// play both sides: the state tells whose turn it is.
using TicTacToePolicy = std::vector<double>;
/// The cell that is played in a state, [19683]; anything where the game is over.
using TicTacToeMoves = std::vector<std::uint8_t>;

/// How games end, as probabilities.
struct GameResult {
    double win = 0;  ///< of cross
    double draw = 0;
    double loss = 0;
    /// What cross gains on average.
    [[nodiscard]] double value() const noexcept { return win - loss; }
};

/// What `cross` and `nought` make of the game.
/// @throws InputError  names the position where the probabilities of legal cells do not add up to 1
/// within 1e-9, or an illegal cell has any
GameResult play_exactly(std::span<const double> cross, std::span<const double> nought);

/// The play that gains most against an opponent.
struct BestResponse {
    double value = 0;      ///< of the game, to the one who plays it
    TicTacToeMoves moves;  ///< lowest cell among equal ones, and where the other side moves
};
/// @param mark  of the one who plays it: 1 cross, 2 nought
/// @throws InputError  as play_exactly, and another mark
BestResponse best_response(std::span<const double> opponent, int mark);

/// What a best response gains on average against a policy that plays either side: 0 where the
/// policy is optimal on both, for the game's value is 0; at most 1.
/// @throws InputError  as play_exactly
double exploitability(std::span<const double> policy);

/// Best moves by a table of values [19683, 9], the lowest cell among equal ones.
/// @throws InputError  another size
TicTacToeMoves greedy_moves(std::span<const double> values);

/// Every legal cell alike.
TicTacToePolicy random_tic_tac_toe();
/// The policy that always makes these moves.
/// @throws InputError  another size
TicTacToePolicy policy_of(const TicTacToeMoves& moves);

/// PettingZoo counts cells by columns: the number there of a cell here, and the other way round.
constexpr int petting_zoo_cell(int cell) noexcept {
    return cell % 3 * 3 + cell / 3;
}
/// PettingZoo's observation [3, 3, 2] of a state, for the player of a mark: own cells, then the
/// other one's.
std::vector<std::uint8_t> petting_zoo_planes(std::int32_t state, int mark);

}  // namespace lockstep::rl
