#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

/// Fishing in a pond. State: tonnes of fish, 0 to 10. Action: tonnes to catch this year, at most 3
/// and no more than there are; each pays 1. What is left grows by 0, 1, 1 or 2 tonnes, each as
/// likely. Who catches the last fish has ended the game.
class Pond {
public:
    using Episode = lockstep::rl::PlainEpisode;  // the state says everything

    [[nodiscard]] int states() const { return most + 1; }
    [[nodiscard]] int actions() const { return 4; }
    [[nodiscard]] lockstep::rl::ActionMask mask(int s) const {
        return s == 0 ? 0 : lockstep::rl::all_actions(std::min(s, 3) + 1);
    }
    [[nodiscard]] std::string describe() const { return "a pond of at most 10 tonnes of fish"; }

    template <lockstep::rl::Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {4};
    }
    template <lockstep::rl::Draws D>
    lockstep::rl::Step step(Episode& episode, int caught, D& draws) const {
        const lockstep::rl::Outcome outcome =
            year(episode.state, caught, growth[draws.below(years)]);
        episode.state = outcome.next;
        return {outcome.next, outcome.reward, outcome.terminated, false};
    }

    // What follows is for exact values, and may be left out.

    template <typename Visit>
    void outcomes(int s, int caught, Visit&& visit) const {
        for (const int grown : growth) {
            visit(year(s, caught, grown));
        }
    }
    [[nodiscard]] std::vector<lockstep::rl::Start> starts() const { return {{4, 1.0}}; }
    [[nodiscard]] std::optional<lockstep::rl::Model> model() const {
        return lockstep::rl::generated_model(*this);
    }

private:
    static constexpr int most = 10;
    static constexpr std::uint32_t years = 4;
    static constexpr int growth[years] = {0, 1, 1, 2};

    [[nodiscard]] static lockstep::rl::Outcome year(int s, int caught, int grown) {
        const int left = s - caught;
        const int next = left == 0 ? 0 : std::min(left + grown, most);
        return {1.0 / years, next, static_cast<double>(caught), left == 0};
    }
};

static_assert(lockstep::rl::Modelled<Pond>);
