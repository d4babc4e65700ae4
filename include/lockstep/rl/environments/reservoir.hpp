#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// Units of water and energy are one: a unit released is a unit of demand met.
struct ReservoirOptions {
    std::int32_t stages = 12;       ///< an episode has; 0: it goes on for ever
    std::int32_t most_volume = 20;  ///< at least 0
    std::int32_t most_release = 8;  ///< in a stage, 0 to 63
    std::int32_t demand = 10;       ///< of a stage, at least 0
    std::int32_t thermal = 4;       ///< what each of two plants gives in a stage, at least 0
    double cheap_cost = 10;         ///< of a unit of the first plant
    double dear_cost = 25;          ///< of a unit of the second
    double deficit_cost = 100;      ///< of a unit of demand that is not met
    std::int32_t first_volume = 10;
    std::vector<std::int32_t> inflows{0, 2, 4, 6, 8};  ///< of a stage, each alike
};

/// A hydro reservoir with two thermal plants: see the inflow, then release (the action) and pay for
/// what is missing, cheapest plant first. What does not fit spills. Rewards are costs, negative.
///
/// State: (stage · (most_volume + 1) + volume) · inflows + number of the inflow, without the stage
/// where there is no end. All data are integer, so the linear program of the same problem has the
/// same value, which SDDP computes.
class Reservoir {
public:
    using Episode = PlainEpisode;

    /// @throws InputError  names the option
    explicit Reservoir(ReservoirOptions options = {});

    [[nodiscard]] const ReservoirOptions& options() const noexcept { return options_; }
    [[nodiscard]] int states() const noexcept { return stages_ * volumes_ * inflows_; }
    [[nodiscard]] int actions() const noexcept { return options_.most_release + 1; }
    [[nodiscard]] ActionMask mask(int s) const noexcept {
        const std::int32_t water = place_of(s).water;
        return all_actions(std::min(options_.most_release, water) + 1);
    }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::vector<Start> starts() const;
    [[nodiscard]] std::optional<Model> model() const;

    [[nodiscard]] std::int32_t state_of(std::int32_t stage,
                                        std::int32_t volume,
                                        std::int32_t inflow) const noexcept {
        return (stage * volumes_ + volume) * inflows_ + inflow;
    }

    template <typename Visit>
    void outcomes(std::int32_t s, int action, Visit&& visit) const {
        const Step step = released(s, action);
        const std::int32_t branches = step.terminated ? 1 : inflows_;
        for (std::int32_t inflow = 0; inflow < branches; ++inflow) {
            visit(Outcome{1.0 / branches, step.next + inflow, step.reward, step.terminated});
        }
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        return {state_of(0, options_.first_volume, drawn_inflow(draws))};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        Step step = released(episode.state, action);
        if (!step.terminated) {
            step.next += drawn_inflow(draws);
        }
        episode.state = step.next;
        return step;
    }

private:
    struct Place {
        std::int32_t stage;
        std::int32_t water;  // in the reservoir and coming in
    };
    [[nodiscard]] Place place_of(std::int32_t s) const noexcept {
        const std::int32_t inflow = options_.inflows[static_cast<std::size_t>(s % inflows_)];
        return {s / inflows_ / volumes_, s / inflows_ % volumes_ + inflow};
    }
    template <Draws D>
    [[nodiscard]] std::int32_t drawn_inflow(D& draws) const {
        return static_cast<std::int32_t>(draws.below(static_cast<std::uint32_t>(inflows_)));
    }
    // The next state with the first inflow; after the last stage its volume stays in that stage.
    [[nodiscard]] Step released(std::int32_t s, int release) const noexcept {
        const Place place = place_of(s);
        const std::int32_t kept = std::min(place.water - release, options_.most_volume);
        const bool is_last = options_.stages > 0 && place.stage + 1 == stages_;
        const std::int32_t stage = place.stage + static_cast<std::int32_t>(stages_ > 1 && !is_last);
        return {state_of(stage, kept, 0), -cost(options_.demand - release), is_last, false};
    }
    [[nodiscard]] double cost(std::int32_t missing) const noexcept;

    ReservoirOptions options_;
    std::int32_t stages_;
    std::int32_t volumes_;
    std::int32_t inflows_;
};

}  // namespace lockstep::rl
