#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/rl/environments/starts.hpp"
#include "lockstep/rl/environments/three_way_table.hpp"

namespace lockstep::rl {

/// Rows of equal length of the letters S (start), F (frozen), H (hole) and G (goal).
using LakeMap = std::vector<std::string>;

/// Gymnasium's maps "4x4" and "8x8".
/// @throws InputError  any other name
LakeMap named_lake(std::string_view name);

/// The map that Gymnasium's generate_random_map(size, frozen, seed) makes: start and goal in
/// opposite corners, every other cell frozen with this probability, drawn until a path exists.
/// @throws InputError  a size that is not 2 to 2000, a probability outside (0, 1], no path in
/// 10,000 maps
LakeMap random_lake(int size, double frozen, std::uint64_t seed);

struct FrozenLakeOptions {
    LakeMap map = named_lake("4x4");
    bool slippery = true;
    double success_rate =
        1.0 / 3.0;  ///< slippery: the move that was meant; else one to either side
    double goal_reward = 1;
    double hole_reward = 0;
    double frozen_reward = 0;
};

/// A walk over ice with holes. State: row · columns + column. Actions: 0 left, 1 down, 2 right, 3
/// up; a move off the board stays. Holes and the goal end the episode.
/// @par Source  FrozenLake-v1 of Gymnasium 1.4, in the order of its draws and outcomes
class FrozenLake {
public:
    using Episode = PlainEpisode;

    /// @throws InputError  names the option: a map that is not as LakeMap says or has no start, a
    /// success rate outside [0, 1]
    explicit FrozenLake(FrozenLakeOptions options = {});

    [[nodiscard]] const FrozenLakeOptions& options() const noexcept { return options_; }
    [[nodiscard]] int states() const noexcept { return table_.states(); }
    [[nodiscard]] int actions() const noexcept { return 4; }
    [[nodiscard]] ActionMask mask(int /*s*/) const noexcept { return all_actions(4); }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const;
    [[nodiscard]] std::optional<Model> model() const;

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        return {starts_.draw(draws)};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        const Step step = table_.step(episode.state, action, draws);
        episode.state = step.next;
        return step;
    }

private:
    FrozenLakeOptions options_;
    ThreeWayTable table_;
    Starts starts_;
};

}  // namespace lockstep::rl
