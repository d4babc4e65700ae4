#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "lockstep/rl/environments/tic_tac_toe.hpp"

namespace lockstep::rl {

/// A position as its mover sees it: `own` and `mark` are those of the one who is to move.
using TicTacToePosition = TicTacToe::Episode;

/// All positions that play can reach, those of fewer marks first; 5,478.
const std::vector<TicTacToePosition>& tic_tac_toe_positions();

/// The cells where a mark may go; none where the game is over.
ActionMask moves_in(const TicTacToePosition& position) noexcept;

/// The position after a move, as the other one sees it.
TicTacToePosition after(TicTacToePosition position, int cell) noexcept;

/// Calls visit(cell) for each, ascending.
template <typename Visit>
void each_cell(ActionMask cells, const Visit& visit) {
    for (; cells != 0; cells &= cells - 1) {
        visit(std::countr_zero(cells));
    }
}

}  // namespace lockstep::rl
