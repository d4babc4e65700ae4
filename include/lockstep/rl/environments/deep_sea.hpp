#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/split_mix.hpp"

namespace lockstep::rl {

struct DeepSeaOptions {
    std::int32_t size = 10;           ///< cells a side, 2 to 2,000
    bool stochastic = false;          ///< "right" fails with probability 1 / size
    std::uint64_t mapping_seed = 42;  ///< which action is "right", state by state
};

/// A diver sinks one row a step and steers left or right; treasure lies in the last column, which
/// only "right" at every step reaches. State: row · size + column. Which of the two actions is
/// right differs from state to state. Right costs 0.01 / size, and pays 1 in the last column.
///
/// Random play finds the treasure once in 2^size episodes: what is tested is exploration.
/// @par Source  [Osband2020]
class DeepSea {
public:
    using Episode = PlainEpisode;

    /// @throws InputError  names the option
    explicit DeepSea(DeepSeaOptions options = {});

    [[nodiscard]] int states() const noexcept { return options_.size * options_.size; }
    [[nodiscard]] int actions() const noexcept { return 2; }
    [[nodiscard]] ActionMask mask(int /*s*/) const noexcept { return all_actions(2); }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::vector<Start> starts() const;
    [[nodiscard]] std::optional<Model> model() const;

    [[nodiscard]] bool is_right(std::int32_t s, int action) const noexcept {
        return (split_mix(options_.mapping_seed, static_cast<std::uint64_t>(s)) & 1U) ==
               static_cast<std::uint64_t>(action);
    }

    template <typename Visit>
    void outcomes(std::int32_t s, int action, Visit&& visit) const {
        const bool right = is_right(s, action);
        const double failure = right && options_.stochastic ? failure_ : 0;
        visit(outcome(s, 1 - failure, right, right ? 1 : -1));
        if (failure > 0) {
            visit(outcome(s, failure, right, 0));
        }
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        const bool right = is_right(episode.state, action);
        std::int32_t drift = right ? 1 : -1;
        if (right && options_.stochastic && draws.uniform() < failure_) {
            drift = 0;
        }
        const Outcome led_to = outcome(episode.state, 1, right, drift);
        episode.state = led_to.next;
        return {led_to.next, led_to.reward, led_to.terminated, false};
    }

private:
    // An episode ends in the last row, where its last state stays.
    [[nodiscard]] Outcome outcome(std::int32_t s,
                                  double probability,
                                  bool right,
                                  std::int32_t drift) const noexcept {
        const std::int32_t last = options_.size - 1;
        const std::int32_t row = s / options_.size;
        const std::int32_t column = s % options_.size;
        const std::int32_t moved = column + drift;
        const std::int32_t held = moved < 0 ? 0 : (moved > last ? last : moved);
        const double treasure = right && column == last ? 1 : 0;
        return {probability,
                (row < last ? row + 1 : last) * options_.size + held,
                right ? treasure - cost_ : 0,
                row == last};
    }

    DeepSeaOptions options_;
    double failure_;
    double cost_;
};

}  // namespace lockstep::rl
