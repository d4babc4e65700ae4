#include "lockstep/rl/games/tic_tac_toe_opponent.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/games/tic_tac_toe_positions.hpp"

namespace lockstep::rl {
namespace {

TicTacToeMoves checked(TicTacToeMoves moves) {
    const int states = TicTacToe().states();
    if (std::ssize(moves) != states) {
        throw InputError(
            fmt::format("{} moves of an opponent: TicTacToe has {} states", moves.size(), states));
    }
    for (const TicTacToePosition& position : tic_tac_toe_positions()) {
        const int cell = moves[at(position.state)];
        const ActionMask legal = moves_in(position);
        if (legal != 0 && (cell > 8 || (legal >> static_cast<unsigned>(cell) & 1U) == 0)) {
            throw InputError(
                fmt::format("state {}: the opponent's move {} is illegal", position.state, cell));
        }
    }
    return moves;
}

}  // namespace

TicTacToeOpponent::TicTacToeOpponent(TicTacToeMoves opponent, std::string name)
    : opponent_(std::make_shared<const TicTacToeMoves>(checked(std::move(opponent)))),
      name_(std::move(name)) {
    std::vector<std::uint16_t> masks(at(states()), 0);
    each_pair([&](const Episode& from, int /*action*/) {
        masks[at(from.state)] = static_cast<std::uint16_t>(game_.mask(from));
    });
    masks_ = std::make_shared<const std::vector<std::uint16_t>>(std::move(masks));
}

std::string TicTacToeOpponent::describe() const {
    return fmt::format("TicTacToe against {}, a fair coin decides who begins", name_);
}

std::optional<Model> TicTacToeOpponent::model() const {
    ModelBuilder builder(states(), actions());
    each_pair([&](const Episode& from, int action) {
        Episode episode = from;
        const Step step = answered(episode, action);
        builder.add(from.state, action, {1.0, step.next, step.reward, step.terminated});
    });
    builder.add_start({start(false).state, 0.5});
    builder.add_start({start(true).state, 0.5});
    return builder.build();
}

TicTacToeOpponent::Episode TicTacToeOpponent::start(bool is_second) const noexcept {
    Episode episode;
    if (is_second) {
        episode.mark = 2;
        reply(episode);
    }
    return episode;
}

Step TicTacToeOpponent::answered(Episode& episode, int action) const noexcept {
    TicTacToe::move(episode, action);
    if (TicTacToe::has_line(episode.own) || game_.mask(episode) == 0) {
        return {episode.state, TicTacToe::has_line(episode.own) ? 1.0 : 0.0, true, false};
    }
    reply(episode);
    const bool has_lost = TicTacToe::has_line(episode.other);
    return {episode.state, has_lost ? -1.0 : 0.0, has_lost || game_.mask(episode) == 0, false};
}

void TicTacToeOpponent::reply(Episode& episode) const noexcept {
    TicTacToe::reply(episode, (*opponent_)[at(episode.state)]);
}

// Pairs that play against this opponent can reach, each once.
template <typename Visit>
void TicTacToeOpponent::each_pair(const Visit& visit) const {
    std::vector<Episode> found{start(false), start(true)};
    std::vector<bool> seen(at(states()), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Episode from = found[i];
        each_cell(game_.mask(from), [&](int action) {
            visit(from, action);
            Episode episode = from;
            const Step step = answered(episode, action);
            if (!step.terminated && !seen[at(step.next)]) {
                seen[at(step.next)] = true;
                found.push_back(episode);
            }
        });
    }
}

}  // namespace lockstep::rl
