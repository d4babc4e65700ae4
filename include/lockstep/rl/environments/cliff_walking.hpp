#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/rl/environments/three_way_table.hpp"

namespace lockstep::rl {

/// A walk along a cliff, on 4 × 12 cells. State: row · 12 + column; start 36, goal 47. Actions: 0
/// up, 1 right, 2 down, 3 left. Each move costs 1; a fall into the cells between start and goal
/// 100, and the episode goes on from the start. Slippery: one move in three goes to either side.
/// @par Source  [SuttonBarto2018], example 6.6; CliffWalking-v1 of Gymnasium 1.4, in the order of
/// its draws and outcomes
class CliffWalking {
public:
    using Episode = PlainEpisode;

    explicit CliffWalking(bool slippery = false);

    [[nodiscard]] int states() const noexcept { return table_.states(); }
    [[nodiscard]] int actions() const noexcept { return 4; }
    [[nodiscard]] ActionMask mask(int /*s*/) const noexcept { return all_actions(4); }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const;
    [[nodiscard]] std::optional<Model> model() const;

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        draws.skip();
        return {start};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        const Step step = table_.step(episode.state, action, draws);
        episode.state = step.next;
        return step;
    }

    static constexpr std::int32_t start = 36;

private:
    bool slippery_;
    ThreeWayTable table_;
};

}  // namespace lockstep::rl
