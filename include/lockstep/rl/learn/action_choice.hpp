#pragma once

#include <array>
#include <bit>
#include <cstddef>
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

namespace detail {

constexpr double no_value = -std::numeric_limits<double>::infinity();

/// Four running maxima, so that one need not wait for the other.
template <Access A, typename V>
[[gnu::always_inline]] inline Best best_of_few(const V* row,
                                               ActionMask legal,
                                               int actions) noexcept {
    const auto value_of = [&](int a) {
        const bool is_legal = (legal >> static_cast<unsigned>(a) & 1U) != 0;
        return is_legal ? double{load_from<A>(row[a])} : no_value;
    };
    std::array<double, 4> largest;
    for (int a = 0; a < 4; ++a) {
        largest[static_cast<std::size_t>(a)] = a < actions ? value_of(a) : no_value;
    }
    for (int a = 4; a < actions; ++a) {
        double& so_far = largest[static_cast<std::size_t>(a) % 4];
        so_far = value_of(a) > so_far ? value_of(a) : so_far;
    }
    const double even = largest[0] > largest[2] ? largest[0] : largest[2];
    const double odd = largest[1] > largest[3] ? largest[1] : largest[3];
    const double best = even > odd ? even : odd;
    ActionMask ties = 0;
    for (int a = 0; a < actions; ++a) {
        // Not ==, which has to look for numbers that are none; nothing is above the best.
        ties |= ActionMask{double{load_from<A>(row[a])} >= best} << static_cast<unsigned>(a);
    }
    return {best, ties & legal};
}

#ifdef __AVX2__
using Four [[gnu::vector_size(32)]] = double;
using FourBits [[gnu::vector_size(32)]] = long long;
using FourFloats [[gnu::vector_size(16)]] = float;
using FourHalves [[gnu::vector_size(16)]] = int;

/// All bits of a lane are those of its bit.
inline constexpr auto lanes = [] {
    std::array<FourBits, 16> masks{};
    for (unsigned bits = 0; bits < 16; ++bits) {
        masks[bits] = FourBits{-static_cast<long long>(bits & 1U),
                               -static_cast<long long>(bits >> 1U & 1U),
                               -static_cast<long long>(bits >> 2U & 1U),
                               -static_cast<long long>(bits >> 3U & 1U)};
    }
    return masks;
}();
inline constexpr auto half_lanes = [] {
    std::array<FourHalves, 16> masks{};
    for (unsigned bits = 0; bits < 16; ++bits) {
        masks[bits] = FourHalves{-static_cast<int>(bits & 1U),
                                 -static_cast<int>(bits >> 1U & 1U),
                                 -static_cast<int>(bits >> 2U & 1U),
                                 -static_cast<int>(bits >> 3U & 1U)};
    }
    return masks;
}();

[[gnu::always_inline]] inline Four load_four(const double* values, unsigned bits) noexcept {
    return __builtin_ia32_maskloadpd256(static_cast<const Four*>(static_cast<const void*>(values)),
                                        lanes[bits]);
}
[[gnu::always_inline]] inline Four load_four(const float* values, unsigned bits) noexcept {
    return __builtin_convertvector(
        __builtin_ia32_maskloadps(static_cast<const FourFloats*>(static_cast<const void*>(values)),
                                  half_lanes[bits]),
        Four);
}

/// Four actions at a time; what is illegal, or behind the row, is not read.
template <typename V>
[[gnu::always_inline]] inline Best best_of_many(const V* row,
                                                ActionMask legal,
                                                int actions) noexcept {
    const auto values_of = [&](int a) {
        const auto bits = static_cast<unsigned>(legal >> static_cast<unsigned>(a)) % 16;
        const Four none{no_value, no_value, no_value, no_value};
        return lanes[bits] != 0 ? load_four(row + a, bits) : none;
    };
    Four largest = values_of(0);
    for (int a = 4; a < actions; a += 4) {
        largest = __builtin_ia32_maxpd256(values_of(a), largest);
    }
    const double even = largest[0] > largest[2] ? largest[0] : largest[2];
    const double odd = largest[1] > largest[3] ? largest[1] : largest[3];
    const double best = even > odd ? even : odd;
    ActionMask ties = 0;
    for (int a = 0; a < actions; a += 4) {
        const FourBits is_best = values_of(a) >= Four{best, best, best, best};
        const auto bits = __builtin_ia32_movmskpd256(std::bit_cast<Four>(is_best));
        ties |= static_cast<ActionMask>(bits) << static_cast<unsigned>(a);
    }
    return {best, ties & legal};
}
#endif

}  // namespace detail

template <Access A = Access::own, typename V>
[[gnu::always_inline]] inline Best best_of(const V* row, ActionMask legal, int actions) noexcept {
#ifdef __AVX2__
    if constexpr (A != Access::shared) {
        if (actions > 6) {
            return detail::best_of_many(row, legal, actions);
        }
    }
#endif
    Best best = detail::best_of_few<A>(row, legal, actions);
    if constexpr (A == Access::shared) {
        best.ties = best.ties == 0 ? legal : best.ties;  // the best was overwritten meanwhile
    }
    return best;
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
