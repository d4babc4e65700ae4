#include "app/rl/games/games.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "app/rl/games/opponent.hpp"

namespace lockstep::app {
namespace {

using rl::GameResult;
using rl::TicTacToePolicy;

TicTacToePolicy greedy(const rl::QTable& table) {
    return rl::policy_of(rl::greedy_moves(table.values));
}

// Won and lost as nought sees them.
GameResult turned(const GameResult& result) {
    return {result.loss, result.draw, result.win};
}

Match match_of(const std::string& against,
               const TicTacToePolicy& own,
               const TicTacToePolicy& as_nought,
               const TicTacToePolicy& as_cross) {
    return {against, rl::play_exactly(own, as_nought), turned(rl::play_exactly(as_cross, own))};
}

}  // namespace

std::optional<double> exploitability_of(const Subject& subject, const rl::QTable& table) {
    if (!is_game(subject.record)) {
        return std::nullopt;
    }
    return rl::exploitability(greedy(table));
}

Match play_match(const Subject& subject, const rl::QTable& table, const std::string& against) {
    if (!is_game(subject.record)) {
        throw InputError(fmt::format("--against {}: {} is no game of two; leave the option out",
                                     against,
                                     subject.record.name));
    }
    const auto own = greedy(table);
    if (against == "random") {
        const auto other = rl::random_tic_tac_toe();
        return match_of(against, own, other, other);
    }
    if (against == "optimal") {
        return match_of(against,
                        own,
                        rl::policy_of(rl::best_response(own, 2).moves),
                        rl::policy_of(rl::best_response(own, 1).moves));
    }
    const auto other = rl::policy_of(moves_of_training(against));
    return match_of(against, own, other, other);
}

}  // namespace lockstep::app
