#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/tic_tac_toe.hpp"
#include "lockstep/rl/games/tic_tac_toe_game.hpp"

namespace lockstep::rl {

/// TicTacToe against an opponent whose moves are fixed, for example those of a table. States,
/// actions and rewards are those of TicTacToe; a fair coin decides who begins.
class TicTacToeOpponent {
public:
    using Episode = TicTacToe::Episode;

    /// @param name  who the opponent is
    /// @throws InputError  names the position where the opponent's move is illegal
    TicTacToeOpponent(TicTacToeMoves opponent, std::string name);

    [[nodiscard]] int states() const noexcept { return game_.states(); }
    [[nodiscard]] int actions() const noexcept { return game_.actions(); }
    [[nodiscard]] ActionMask mask(int s) const noexcept {
        return (*masks_)[static_cast<std::size_t>(s)];
    }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const { return game_.render_text(s); }
    [[nodiscard]] std::optional<Model> model() const;

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        return start(draws.below(2) == 1);
    }

    template <Draws D>
    Step step(Episode& episode, int action, D& /*draws*/) const {
        return answered(episode, action);
    }

private:
    [[nodiscard]] Episode start(bool is_second) const noexcept;
    Step answered(Episode& episode, int action) const noexcept;
    void reply(Episode& episode) const noexcept;
    template <typename Visit>
    void each_pair(const Visit& visit) const;

    TicTacToe game_;
    std::shared_ptr<const TicTacToeMoves> opponent_;
    std::shared_ptr<const std::vector<std::uint16_t>> masks_;
    std::string name_;
};

}  // namespace lockstep::rl
