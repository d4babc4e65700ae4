#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// Transitions of which each has one outcome or three, the same three probabilities everywhere:
/// what grid worlds come to. A pair takes 16 bytes.
///
/// Draws one number a step, also where there is nothing to choose, as Gymnasium does.
class ThreeWayTable {
public:
    using Probabilities = std::array<double, 3>;

    /// @param probabilities  of the outcomes, in their order
    /// @throws InputError  more than 2^23 states
    ThreeWayTable(int states, int actions, const Probabilities& probabilities);

    [[nodiscard]] int states() const noexcept { return states_; }
    [[nodiscard]] int actions() const noexcept { return actions_; }

    struct Way {
        std::int32_t next = 0;
        double reward = 0;
        bool terminated = false;
    };
    /// @throws InputError  a reward that is not finite, more than 256 different ones
    void set_only(int s, int a, const Way& way);
    void set_three(int s, int a, const std::array<Way, 3>& ways);

    template <Draws D>
    Step step(std::int32_t s, int action, D& draws) const {
        const Row& row = rows_[static_cast<std::size_t>(s) * static_cast<std::size_t>(actions_) +
                               static_cast<std::size_t>(action)];
        if (!chance_) {
            draws.skip();
            return unpacked(row[0]);
        }
        const double u = draws.uniform();
        return unpacked(
            row[static_cast<std::size_t>(u >= first_) + static_cast<std::size_t>(u >= second_)]);
    }

    /// All outcomes, in their order; a pair that was not set is illegal.
    void add_to(ModelBuilder& builder) const;

private:
    using Packed = std::uint32_t;       // state, 8 bits for the number of the reward, terminated
    using Row = std::array<Packed, 4>;  // three outcomes, and how many of them there are

    [[nodiscard]] Step unpacked(Packed way) const noexcept {
        return {static_cast<std::int32_t>(way >> 9U),
                rewards_[way >> 1U & 255U],
                (way & 1U) != 0,
                false};
    }
    [[nodiscard]] Packed packed(const Way& way);
    [[nodiscard]] Row& row(int s, int a);

    int states_;
    int actions_;
    Probabilities probabilities_;
    double first_;
    double second_;
    bool chance_ = false;
    std::vector<double> rewards_;
    std::vector<Row> rows_;
};

}  // namespace lockstep::rl
