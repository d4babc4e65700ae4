#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// Cuts episodes after so many steps: the last one is `truncated`, also where it terminated, as
/// Gymnasium has it. States and model are those of the rules within: who learns bootstraps from
/// the true successor of a cut episode.
template <Environment E>
class TimeLimit {
public:
    static constexpr bool alternates = is_alternating<E>;

    struct Episode : E::Episode {
        std::int64_t steps = 0;
    };

    /// @param max_steps  0: no limit
    TimeLimit(E rules, std::int64_t max_steps) : rules_(std::move(rules)), max_steps_(max_steps) {}

    [[nodiscard]] const E& rules() const noexcept { return rules_; }
    [[nodiscard]] std::int64_t max_steps() const noexcept { return max_steps_; }

    [[nodiscard]] int states() const noexcept { return rules_.states(); }
    [[nodiscard]] int actions() const noexcept { return rules_.actions(); }
    [[nodiscard]] ActionMask mask(int s) const noexcept { return rules_.mask(s); }
    [[nodiscard]] ActionMask mask(const Episode& episode) const noexcept {
        return legal_actions(rules_, episode);
    }
    [[nodiscard]] std::string describe() const {
        return max_steps_ == 0 ? rules_.describe()
                               : rules_.describe() + ", at most " + std::to_string(max_steps_) +
                                     " steps an episode";
    }
    [[nodiscard]] std::optional<Model> model() const requires Modelled<E> { return rules_.model(); }
    [[nodiscard]] std::string render_text(int s) const requires Rendered<E> {
        return rules_.render_text(s);
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        return {{rules_.reset(draws)}, 0};
    }

    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        Step step = rules_.step(episode, action, draws);
        step.truncated |= ++episode.steps == max_steps_;
        return step;
    }

private:
    E rules_;
    std::int64_t max_steps_;
};

}  // namespace lockstep::rl
