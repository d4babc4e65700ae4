#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

struct BanditOptions {
    std::int32_t episode_length = 10;  ///< [steps], 1 to 1,000,000
    /// The state is the number of steps taken; off: there is one state, and the step is hidden.
    bool shows_step = false;
};

/// A bandit of two arms that always pay: arm a pays a. The episode ends after so many steps.
///
/// Where the step is hidden there is no model, and what Q-learning comes to is no value of a
/// policy: with action 1 always, 1 / (1 - discount (1 - 1 / length)).
class Bandit {
public:
    struct Episode : PlainEpisode {
        std::int32_t steps = 0;
    };

    /// @throws InputError  names the option
    explicit Bandit(BanditOptions options = {});

    [[nodiscard]] int states() const noexcept {
        return options_.shows_step ? options_.episode_length : 1;
    }
    [[nodiscard]] int actions() const noexcept { return 2; }
    [[nodiscard]] ActionMask mask(int /*s*/) const noexcept { return all_actions(2); }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::optional<Model> model() const;

    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& /*draws*/) const {
        const bool last = ++episode.steps == options_.episode_length;
        if (options_.shows_step && !last) {
            episode.state = episode.steps;
        }
        return {episode.state, static_cast<double>(action), last, false};
    }

private:
    BanditOptions options_;
};

}  // namespace lockstep::rl
