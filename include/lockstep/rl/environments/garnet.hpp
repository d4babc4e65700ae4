#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/split_mix.hpp"

namespace lockstep::rl {

struct GarnetOptions {
    std::int32_t states = 100;  ///< at least 1; with the actions at most 2^31 - 1 pairs
    std::int32_t actions = 4;   ///< 1 to 64
    std::int32_t branches = 5;  ///< successors of a pair, 1 to 64
    std::uint64_t seed = 1;
};

/// A random process of which nothing is stored: successors, weights and rewards are hashes of state
/// and action. Goes on for ever, from state 0.
/// @par Source  [Archibald1995]
class Garnet {
public:
    using Episode = PlainEpisode;

    /// @throws InputError  names the option
    explicit Garnet(GarnetOptions options = {});

    [[nodiscard]] int states() const noexcept { return options_.states; }
    [[nodiscard]] int actions() const noexcept { return options_.actions; }
    [[nodiscard]] ActionMask mask(int /*s*/) const noexcept {
        return all_actions(options_.actions);
    }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::vector<Start> starts() const;
    [[nodiscard]] std::optional<Model> model() const;

    [[nodiscard]] std::int32_t successor(std::int32_t s, int action, int branch) const noexcept {
        return static_cast<std::int32_t>(
            scaled(split_mix(options_.seed, 2 * number(s, action, branch)), count_));
    }
    /// In [1, 2^24]; a successor's probability is in proportion.
    [[nodiscard]] std::uint64_t weight(std::int32_t s, int action, int branch) const noexcept {
        return (split_mix(options_.seed, 2 * number(s, action, branch) + 1) >> 40U) + 1;
    }
    /// In [0, 1).
    [[nodiscard]] double reward(std::int32_t s, int action) const noexcept {
        return unit_interval(split_mix(options_.seed ^ 0x5EEDU, pair(s, action)));
    }

    template <typename Visit>
    void outcomes(std::int32_t s, int action, Visit&& visit) const {
        const auto total = static_cast<double>(total_weight(s, action));
        const double paid = reward(s, action);
        for (int j = 0; j < options_.branches; ++j) {
            visit(Outcome{static_cast<double>(weight(s, action, j)) / total,
                          successor(s, action, j),
                          paid,
                          false});
        }
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        const std::int32_t s = episode.state;
        const std::uint64_t drawn = scaled(draws.bits(), total_weight(s, action));
        int j = 0;
        for (std::uint64_t sum = weight(s, action, 0); sum <= drawn;) {
            sum += weight(s, action, ++j);
        }
        episode.state = successor(s, action, j);
        return {episode.state, reward(s, action), false, false};
    }

private:
    [[nodiscard]] std::uint64_t pair(std::int32_t s, int action) const noexcept {
        return static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(options_.actions) +
               static_cast<std::uint64_t>(action);
    }
    [[nodiscard]] std::uint64_t number(std::int32_t s, int action, int branch) const noexcept {
        return pair(s, action) * static_cast<std::uint64_t>(options_.branches) +
               static_cast<std::uint64_t>(branch);
    }
    [[nodiscard]] std::uint64_t total_weight(std::int32_t s, int action) const noexcept {
        std::uint64_t total = 0;
        for (int j = 0; j < options_.branches; ++j) {
            total += weight(s, action, j);
        }
        return total;
    }

    GarnetOptions options_;
    std::uint64_t count_;
};

}  // namespace lockstep::rl
