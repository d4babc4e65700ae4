#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/learn/cells.hpp"

namespace lockstep::rl {

/// The largest value of a row among legal actions, and who has it.
struct Best {
    double value = -std::numeric_limits<double>::infinity();
    ActionMask ties = 0;  ///< none where no action is legal or a value is no number
};

template <Access A = Access::own>
Best best_of(const double* row, ActionMask legal, int actions) noexcept {
    constexpr double none = -std::numeric_limits<double>::infinity();
    double largest = none;
    for (int a = 0; a < actions; ++a) {
        const bool is_legal = (legal >> static_cast<unsigned>(a) & 1U) != 0;
        const double value = is_legal ? load_from<A>(row[a]) : none;
        largest = value > largest ? value : largest;
    }
    ActionMask ties = 0;
    for (int a = 0; a < actions; ++a) {
        ties |= ActionMask{load_from<A>(row[a]) == largest} << static_cast<unsigned>(a);
    }
    ties &= legal;
    if constexpr (A == Access::shared) {
        ties = ties == 0 ? legal : ties;  // the largest was overwritten meanwhile
    }
    return {largest, ties};
}

/// One of a set that is not empty, by 32 random bits.
inline int any_of(ActionMask set, std::uint32_t random) noexcept {
    const auto count = static_cast<std::uint64_t>(std::popcount(set));
    return nth_action(set, static_cast<std::uint32_t>(count * random >> 32U));
}

/// One of the best actions.
inline int greedy(const Best& best, std::uint32_t random, bool random_ties) noexcept {
    if (std::has_single_bit(best.ties) || !random_ties) {
        return std::countr_zero(best.ties);
    }
    return any_of(best.ties, random);
}

}  // namespace lockstep::rl
