#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

struct InventoryOptions {
    std::int32_t capacity = 20;    ///< [pieces], 1 to 63
    std::int32_t most_demand = 9;  ///< demand is even on 0 to this [pieces], 0 to 1,000
    double order_cost = 5;         ///< of an order, whatever its size
    double piece_cost = 2;         ///< of a piece ordered
    double holding_cost = 1;       ///< of a piece left at the end of a step
    double lost_sale_cost = 8;     ///< of a piece asked for and not there
    std::int32_t first_stock = 0;  ///< [pieces]
};

/// A shop that orders a number of pieces (the action), which arrive at once, before it knows the
/// demand. State: the stock. What would not fit may not be ordered. Rewards are costs, negative.
/// Goes on for ever.
/// @par Source  [Puterman1994], section 3.2
class Inventory {
public:
    using Episode = PlainEpisode;

    /// @throws InputError  names the option
    explicit Inventory(InventoryOptions options = {});

    [[nodiscard]] int states() const noexcept { return options_.capacity + 1; }
    [[nodiscard]] int actions() const noexcept { return options_.capacity + 1; }
    [[nodiscard]] ActionMask mask(int s) const noexcept {
        return all_actions(options_.capacity - s + 1);
    }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::vector<Start> starts() const;
    [[nodiscard]] std::optional<Model> model() const;

    template <typename Visit>
    void outcomes(std::int32_t s, int action, Visit&& visit) const {
        for (std::int32_t demand = 0; demand <= options_.most_demand; ++demand) {
            const Step step = after(s, action, demand);
            visit(Outcome{1.0 / (options_.most_demand + 1), step.next, step.reward, false});
        }
    }

    template <Draws D>
    [[nodiscard]] Episode reset(D& /*draws*/) const {
        return {options_.first_stock};
    }
    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        const std::uint32_t demand =
            draws.below(static_cast<std::uint32_t>(options_.most_demand) + 1);
        const Step step = after(episode.state, action, static_cast<std::int32_t>(demand));
        episode.state = step.next;
        return step;
    }

private:
    [[nodiscard]] Step after(std::int32_t stock, int ordered, std::int32_t demand) const noexcept {
        const std::int32_t offered = stock + ordered;
        const std::int32_t left = std::max(offered - demand, 0);
        const std::int32_t lost = std::max(demand - offered, 0);
        const double cost = (ordered > 0 ? options_.order_cost : 0) +
                            options_.piece_cost * ordered + options_.holding_cost * left +
                            options_.lost_sale_cost * lost;
        return {left, -cost, false, false};
    }

    InventoryOptions options_;
};

}  // namespace lockstep::rl
