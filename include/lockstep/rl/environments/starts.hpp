#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/model.hpp"

namespace lockstep::rl {

/// Where episodes begin. Draws one number each time, also if there is but one state.
class Starts {
public:
    /// @param starts  at least one; the probabilities add up to 1
    explicit Starts(std::span<const Start> starts);

    template <Draws D>
    [[nodiscard]] std::int32_t draw(D& draws) const {
        if (states_.size() == 1) {
            draws.skip();
            return states_[0];
        }
        return state_at(draws.uniform());
    }

    void add_to(ModelBuilder& builder) const;

private:
    // The first state whose running sum is above u, sought from where even probabilities put it.
    [[nodiscard]] std::int32_t state_at(double u) const noexcept {
        auto i = static_cast<std::size_t>(u * static_cast<double>(states_.size()));
        while (i + 1 < states_.size() && sums_[i] <= u) {
            ++i;
        }
        while (i > 0 && sums_[i - 1] > u) {
            --i;
        }
        return states_[i];
    }

    std::vector<std::int32_t> states_;
    std::vector<double> probabilities_;
    std::vector<double> sums_;
};

/// Each of these states alike.
std::vector<Start> even_starts(std::span<const std::int32_t> states);

}  // namespace lockstep::rl
