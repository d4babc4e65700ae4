#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environments/starts.hpp"
#include "lockstep/rl/environments/three_way_table.hpp"

namespace lockstep::rl {

struct TaxiOptions {
    bool rainy = false;
    double rainy_probability =
        0.8;  ///< rainy: that a move goes ahead; else to one side or the other
    bool fickle = false;
    double fickle_probability = 0.3;  ///< fickle: that a passenger changes the destination
    /// Only actions that change the state are legal: Gymnasium's `action_mask`. Off: all six are.
    bool masked = false;
};

/// A taxi on 5 × 5 cells fetches a passenger. State: ((row · 5 + column) · 5 + passenger) · 4 +
/// destination, passenger and destination 0 R, 1 G, 2 Y, 3 B, passenger 4 in the taxi. Actions: 0
/// south, 1 north, 2 east, 3 west, 4 pick up, 5 drop off.
///
/// Rewards: -1 a step, -10 for a pick-up or drop-off that cannot be, 20 at the destination, which
/// ends the episode. A fickle passenger's mind is hidden, so there is no model then.
/// @par Source  [Dietterich2000]; Taxi-v4 of Gymnasium 1.4 (dry it is Taxi-v3), in the order of its
/// draws and outcomes
class Taxi {
public:
    struct Episode : PlainEpisode {
        bool will_change = false;  ///< the destination, at the first move with the passenger aboard
    };

    /// @throws InputError  names the option: a probability outside [0, 1]
    explicit Taxi(TaxiOptions options = {});

    [[nodiscard]] const TaxiOptions& options() const noexcept { return options_; }
    [[nodiscard]] int states() const noexcept { return table_.states(); }
    [[nodiscard]] int actions() const noexcept { return 6; }
    [[nodiscard]] ActionMask mask(int s) const noexcept {
        return masks_[static_cast<std::size_t>(s)];
    }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const;
    [[nodiscard]] std::optional<Model> model() const;

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        const std::int32_t state = starts_.draw(draws);
        return {{state}, options_.fickle && draws.uniform() < options_.fickle_probability};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        Step step = table_.step(episode.state, action, draws);
        if (episode.will_change && is_first_move(episode.state, step.next)) {
            episode.will_change = false;
            step.next = with_other_destination(step.next, draws.below(3));
        }
        episode.state = step.next;
        return step;
    }

private:
    [[nodiscard]] static bool is_first_move(std::int32_t from, std::int32_t to) noexcept {
        return from / 4 % 5 == 4 && from / 20 != to / 20;
    }
    // The number-th of the three other destinations.
    [[nodiscard]] static std::int32_t with_other_destination(std::int32_t s,
                                                             std::uint32_t number) noexcept {
        const auto other = static_cast<std::int32_t>(number);
        return s - s % 4 + other + static_cast<std::int32_t>(other >= s % 4);
    }

    TaxiOptions options_;
    ThreeWayTable table_;
    std::vector<std::uint8_t> masks_;
    Starts starts_;
};

}  // namespace lockstep::rl
