#pragma once

#include <bit>
#include <cmath>
#ifdef __FMA__
#include <immintrin.h>
#endif

/// Elementary functions of four numbers at a time, with the same bits wherever they run: additions,
/// products, fused products and square roots only.
namespace lockstep::xpcs::lanes {

using Four [[gnu::vector_size(32)]] = double;
using FourBits [[gnu::vector_size(32)]] = long long;

inline constexpr int width = 4;

inline Four all(double value) {
    return Four{value, value, value, value};
}

inline Four load(const double* from) {
    Four value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

inline void store(double* to, Four value) {
    __builtin_memcpy(to, &value, sizeof value);
}

/// a b + c, rounded once.
inline Four fused(Four a, Four b, Four c) {
#ifdef __FMA__
    return _mm256_fmadd_pd(a, b, c);
#else
    return Four{std::fma(a[0], b[0], c[0]),
                std::fma(a[1], b[1], c[1]),
                std::fma(a[2], b[2], c[2]),
                std::fma(a[3], b[3], c[3])};
#endif
}

inline Four abs(Four x) {
    return std::bit_cast<Four>(std::bit_cast<FourBits>(x) & ~(1LL << 63));
}

/// ±1 with the sign of x.
inline Four sign(Four x) {
    return std::bit_cast<Four>((std::bit_cast<FourBits>(x) & (1LL << 63)) |
                               std::bit_cast<FourBits>(all(1)));
}

inline Four sqrt(Four x) {
#ifdef __AVX__
    return _mm256_sqrt_pd(x);
#else
    return Four{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

/// The value where the mask is set, else 0.
inline Four keep(FourBits mask, Four value) {
    return std::bit_cast<Four>(mask & std::bit_cast<FourBits>(value));
}

/// Whether a mask is set in all lanes.
inline bool every(FourBits mask) {
#ifdef __AVX__
    return _mm256_movemask_pd(std::bit_cast<Four>(mask)) == 15;
#else
    return (mask[0] & mask[1] & mask[2] & mask[3]) < 0;
#endif
}

/// Sum of the lanes in a fixed order.
inline double fold(Four x) {
    return (x[0] + x[2]) + (x[1] + x[3]);
}

// Adding it leaves the nearest whole number in the low bits.
inline constexpr double shift = 0x1.8p52;

/// e^x for x <= 709, within 2 units in the last place; 0 below -708.
[[gnu::always_inline]] inline Four exp(Four x) {
    const FourBits above = x > all(-708);
    const Four clamped = above ? x : all(-708);
    const Four shifted = fused(clamped, all(0x1.71547652b82fep0), all(shift));
    const Four k = shifted - all(shift);
    const Four high = fused(-k, all(0x1.62e42fefa39efp-1), clamped);
    const Four r = fused(-k, all(0x1.abc9e3b39803fp-56), high);

    // Two halves of the series of e^r, |r| <= ln(2)/2, to r^12: the next term is below 2^-51 r.
    const Four r2 = r * r;
    Four even = fused(r2, all(1.0 / 479001600), all(1.0 / 3628800));
    even = fused(even, r2, all(1.0 / 40320));
    even = fused(even, r2, all(1.0 / 720));
    even = fused(even, r2, all(1.0 / 24));
    even = fused(even, r2, all(1.0 / 2));
    Four odd = fused(r2, all(1.0 / 39916800), all(1.0 / 362880));
    odd = fused(odd, r2, all(1.0 / 5040));
    odd = fused(odd, r2, all(1.0 / 120));
    odd = fused(odd, r2, all(1.0 / 6));
    const Four tail = fused(odd, r, even) * r2;
    const Four mantissa = all(1) + (r + tail);

    const FourBits exponent = (std::bit_cast<FourBits>(shifted) << 52) + (1023LL << 52);
    return keep(above, mantissa * std::bit_cast<Four>(exponent));
}

struct SineCosine {
    Four sine;
    Four cosine;
};

/// For |x| <= 2^30, within 2^-52 absolutely.
inline SineCosine sine_cosine(Four x) {
    const Four shifted = fused(x, all(0x1.45f306dc9c883p-1), all(shift));
    const Four k = shifted - all(shift);
    Four r = fused(-k, all(0x1.921fb54442d18p0), x);
    r = fused(-k, all(0x1.1a62633145c07p-54), r);

    const Four r2 = r * r;
    Four sine = fused(r2, all(1.0 / 355687428096000), all(-1.0 / 1307674368000));
    sine = fused(sine, r2, all(1.0 / 6227020800));
    sine = fused(sine, r2, all(-1.0 / 39916800));
    sine = fused(sine, r2, all(1.0 / 362880));
    sine = fused(sine, r2, all(-1.0 / 5040));
    sine = fused(sine, r2, all(1.0 / 120));
    sine = fused(sine, r2, all(-1.0 / 6));
    sine = fused(sine * r2, r, r);
    Four cosine = fused(r2, all(1.0 / 20922789888000), all(-1.0 / 87178291200));
    cosine = fused(cosine, r2, all(1.0 / 479001600));
    cosine = fused(cosine, r2, all(-1.0 / 3628800));
    cosine = fused(cosine, r2, all(1.0 / 40320));
    cosine = fused(cosine, r2, all(-1.0 / 720));
    cosine = fused(cosine, r2, all(1.0 / 24));
    cosine = fused(cosine, r2, all(-1.0 / 2));
    cosine = fused(cosine, r2, all(1));

    // A quarter turn swaps them; the second bit of k is the sign of the sine, that of k + 1 the
    // cosine's.
    const auto quarter = std::bit_cast<FourBits>(shifted);
    const FourBits swap = (quarter & 1) != 0;
    const FourBits sine_sign = (quarter & 2) << 62;
    const FourBits cosine_sign = ((quarter + 1) & 2) << 62;
    const Four turned_sine = swap ? cosine : sine;
    const Four turned_cosine = swap ? sine : cosine;
    return {std::bit_cast<Four>(std::bit_cast<FourBits>(turned_sine) ^ sine_sign),
            std::bit_cast<Four>(std::bit_cast<FourBits>(turned_cosine) ^ cosine_sign)};
}

}  // namespace lockstep::xpcs::lanes
