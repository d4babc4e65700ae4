#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// An empty square of cells, from one corner to the opposite one. State: row · size + column.
/// Actions: 0 up, 1 right, 2 down, 3 left; a move off the board stays. A step costs 1; the goal
/// ends the episode.
///
/// The optimal value of a state at distance d is -d, discounted -(1 - γ^d) / (1 - γ).
class OpenGrid {
public:
    using Episode = PlainEpisode;

    /// @param size  cells a side, 2 to 20,000
    /// @throws InputError
    explicit OpenGrid(std::int32_t size = 10);

    [[nodiscard]] int states() const noexcept { return size_ * size_; }
    [[nodiscard]] int actions() const noexcept { return 4; }
    [[nodiscard]] ActionMask mask(int /*s*/) const noexcept { return all_actions(4); }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const;
    [[nodiscard]] std::vector<Start> starts() const;
    [[nodiscard]] std::optional<Model> model() const;

    template <typename Visit>
    void outcomes(std::int32_t s, int action, Visit&& visit) const {
        if (s == states() - 1) {
            visit(Outcome{1, s, 0, true});
            return;
        }
        const std::int32_t next = after(s, action);
        visit(Outcome{1, next, -1, next == states() - 1});
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& /*draws*/) const {
        episode.state = after(episode.state, action);
        return {episode.state, -1, episode.state == states() - 1, false};
    }

private:
    [[nodiscard]] std::int32_t after(std::int32_t s, int action) const noexcept {
        switch (action) {
            case 0:
                return s >= size_ ? s - size_ : s;
            case 1:
                return s % size_ + 1 < size_ ? s + 1 : s;
            case 2:
                return s + size_ < states() ? s + size_ : s;
            default:
                return s % size_ > 0 ? s - 1 : s;
        }
    }

    std::int32_t size_;
};

}  // namespace lockstep::rl
