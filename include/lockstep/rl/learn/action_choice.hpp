#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

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
template <Access A>
[[gnu::always_inline]] inline Best best_of_few(const double* row,
                                               ActionMask legal,
                                               int actions) noexcept {
    const auto value_of = [&](int a) {
        const bool is_legal = (legal >> static_cast<unsigned>(a) & 1U) != 0;
        return is_legal ? load_from<A>(row[a]) : no_value;
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
        ties |= ActionMask{load_from<A>(row[a]) >= best} << static_cast<unsigned>(a);
    }
    return {best, ties & legal};
}

#ifdef __AVX2__
/// Of which of four lanes the bit is set.
alignas(32) inline constexpr auto lanes = [] {
    std::array<std::array<std::int64_t, 4>, 16> masks{};
    for (std::size_t bits = 0; bits < 16; ++bits) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            masks[bits][lane] = (bits >> lane & 1U) != 0 ? -1 : 0;
        }
    }
    return masks;
}();

[[gnu::always_inline]] inline __m256i lanes_of(ActionMask bits) noexcept {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes[bits % 16].data()));
}

/// Four actions at a time; what is illegal, or behind the row, is not read.
[[gnu::always_inline]] inline Best best_of_many(const double* row,
                                                ActionMask legal,
                                                int actions) noexcept {
    const __m256d none = _mm256_set1_pd(no_value);
    __m256d largest = none;
    for (int a = 0; a < actions; a += 4) {
        const __m256i lane = lanes_of(legal >> static_cast<unsigned>(a));
        const __m256d values = _mm256_maskload_pd(row + a, lane);
        largest = _mm256_max_pd(_mm256_blendv_pd(none, values, _mm256_castsi256_pd(lane)), largest);
    }
    __m128d half = _mm_max_pd(_mm256_castpd256_pd128(largest), _mm256_extractf128_pd(largest, 1));
    half = _mm_max_sd(half, _mm_unpackhi_pd(half, half));
    const __m256d best = _mm256_broadcastsd_pd(half);
    ActionMask ties = 0;
    for (int a = 0; a < actions; a += 4) {
        const __m256d values =
            _mm256_maskload_pd(row + a, lanes_of(legal >> static_cast<unsigned>(a)));
        const auto bits = _mm256_movemask_pd(_mm256_cmp_pd(values, best, _CMP_GE_OQ));
        ties |= static_cast<ActionMask>(bits) << static_cast<unsigned>(a);
    }
    return {_mm_cvtsd_f64(half), ties & legal};
}
#endif

}  // namespace detail

template <Access A = Access::own>
[[gnu::always_inline]] inline Best best_of(const double* row,
                                           ActionMask legal,
                                           int actions) noexcept {
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
