#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/starts.hpp"

namespace lockstep::rl {

/// Plays any model, for example one that a user brought in a file. Draws one number at each reset
/// and each step, as Gymnasium does for its tables. Episodes of a model without starts begin in the
/// first state that has a legal action.
class ModelEnvironment {
public:
    using Episode = PlainEpisode;

    /// @throws InputError  more than 64 actions, no legal action at all
    ModelEnvironment(Model model, std::string name);

    [[nodiscard]] int states() const noexcept { return model_->states(); }
    [[nodiscard]] int actions() const noexcept { return model_->actions(); }
    [[nodiscard]] ActionMask mask(int s) const noexcept;
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::optional<Model> model() const { return *model_; }

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        return {starts_.draw(draws)};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        const auto outcomes = model_->outcomes(episode.state, action);
        const double u = draws.uniform();
        std::size_t i = 0;
        for (double sum = outcomes[0].probability; sum <= u && i + 1 < outcomes.size();) {
            sum += outcomes[++i].probability;
        }
        episode.state = outcomes[i].next;
        return {outcomes[i].next, outcomes[i].reward, outcomes[i].terminated, false};
    }

private:
    std::shared_ptr<const Model> model_;
    std::string name_;
    Starts starts_;
};

}  // namespace lockstep::rl
