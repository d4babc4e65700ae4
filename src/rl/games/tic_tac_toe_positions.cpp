#include "rl/games/tic_tac_toe_positions.hpp"

#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

std::vector<TicTacToePosition> found_by_play() {
    std::vector<TicTacToePosition> found{{}};
    std::vector<bool> seen(at(TicTacToe().states()), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const TicTacToePosition position = found[i];
        each_cell(moves_in(position), [&](int cell) {
            const TicTacToePosition next = after(position, cell);
            if (!seen[at(next.state)]) {
                seen[at(next.state)] = true;
                found.push_back(next);
            }
        });
    }
    return found;
}

}  // namespace

const std::vector<TicTacToePosition>& tic_tac_toe_positions() {
    static const std::vector<TicTacToePosition> positions = found_by_play();
    return positions;
}

ActionMask moves_in(const TicTacToePosition& position) noexcept {
    return TicTacToe::has_line(position.other) ? 0 : TicTacToe().mask(position);
}

TicTacToePosition after(TicTacToePosition position, int cell) noexcept {
    TicTacToe::move(position, cell);
    std::swap(position.own, position.other);
    position.mark = 3 - position.mark;
    return position;
}

}  // namespace lockstep::rl
