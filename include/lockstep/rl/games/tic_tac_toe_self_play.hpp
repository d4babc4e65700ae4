#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/tic_tac_toe.hpp"

namespace lockstep::rl {

/// TicTacToe with one table that plays both sides. States and actions are those of TicTacToe; a
/// step is one move, and the next one is the other side's. A move that wins pays 1, any other one
/// 0.
///
/// The value of a position is that of the one who is to move; with best play it is 0 at the start.
/// There is no model: a decision process has one player.
class TicTacToeSelfPlay {
public:
    static constexpr bool alternates = true;

    using Episode = TicTacToe::Episode;  // `own` and `mark` are the mover's

    [[nodiscard]] int states() const noexcept { return game_.states(); }
    [[nodiscard]] int actions() const noexcept { return game_.actions(); }
    [[nodiscard]] ActionMask mask(int s) const noexcept { return game_.mask(s); }
    [[nodiscard]] ActionMask mask(const Episode& episode) const noexcept {
        return game_.mask(episode);
    }
    [[nodiscard]] std::string describe() const { return "TicTacToe, both sides by one table"; }
    [[nodiscard]] std::string render_text(int s) const { return game_.render_text(s); }
    [[nodiscard]] std::optional<Model> model() const { return std::nullopt; }

    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {};
    }

    template <Draws D>
    Step step(Episode& episode, int action, D& /*draws*/) const {
        TicTacToe::move(episode, action);
        const bool has_won = TicTacToe::has_line(episode.own);
        const bool is_over = has_won || game_.mask(episode) == 0;
        std::swap(episode.own, episode.other);
        episode.mark = 3 - episode.mark;
        return {episode.state, has_won ? 1.0 : 0.0, is_over, false};
    }

private:
    TicTacToe game_;
};

}  // namespace lockstep::rl
