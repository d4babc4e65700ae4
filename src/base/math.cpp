#include "lockstep/base/math.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lockstep::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A number as an unevaluated sum, |low| <= ulp(high) / 2.
struct Pair {
    double high;
    double low;
};

/// a + b without error, if |a| >= |b| or a = 0.
Pair fast_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

Pair product(double a, double b) {
    const double high = a * b;
    return {high, std::fma(a, b, -high)};
}

Pair product(Pair a, Pair b) {
    const Pair exact = product(a.high, b.high);
    return fast_sum(exact.high, exact.low + (a.high * b.low + a.low * b.high));
}

double power_of_two(std::int64_t exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// e^r = 1 + r + r^2 (1/2! + r/3! + …); on |r| <= ln(2)/2 what is left out is below 2^-57.
double exp_tail(double r) {
    constexpr double inverse_factorial[] = {
        1.0 / 2,
        1.0 / 6,
        1.0 / 24,
        1.0 / 120,
        1.0 / 720,
        1.0 / 5040,
        1.0 / 40320,
        1.0 / 362880,
        1.0 / 3628800,
        1.0 / 39916800,
        1.0 / 479001600,
        1.0 / 6227020800.0,
    };
    double sum = 0;
    for (int i = 11; i >= 0; --i) {
        sum = std::fma(sum, r, inverse_factorial[i]);
    }
    return r * r * sum;
}

// e^(x.high + x.low). With k the whole number nearest to x / ln 2 and r = x - k ln 2, e^x = 2^k
// e^r. The first difference of the reduction is exact: both terms are multiples of 2^-54 and it is
// below 1/2.
double exp_of(Pair x) {
    constexpr double ln2_high = 0x1.62e42fefa39efp-1;
    constexpr double ln2_low = 0x1.abc9e3b39803fp-56;
    constexpr double shift = 0x1.8p52;  // adding it leaves the nearest whole number in the low bits
    constexpr double inverse_ln2 = 0x1.71547652b82fep0;
    const double shifted = std::fma(x.high, inverse_ln2, shift);
    const double k = shifted - shift;
    const auto exponent = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(shift);

    const double reduced = std::fma(-k, ln2_high, x.high);
    const double correction = std::fma(-k, ln2_low, x.low);
    const double r = reduced + correction;
    const double r_low = correction - (r - reduced);
    const Pair head = fast_sum(1, r);
    const double mantissa = head.high + (head.low + (r_low + exp_tail(r)));

    // Two factors, since 2^k alone may overflow or be subnormal.
    const std::int64_t half = exponent >> 1;
    return mantissa * power_of_two(half) * power_of_two(exponent - half);
}

// Keeps the argument where exp_of's exponents are valid: e^±800 are infinity and 0 already. NaN
// passes.
double clamp_exponent(double x) {
    const double low = x < -800 ? -800 : x;
    return low > 800 ? 800 : low;
}

// 2/5 + 2/7 z + 2/9 z^2 …; on z <= 0.0295 what is left out is below 2^-66 of the logarithm.
double atanh_tail(double z) {
    double sum = 0;
    for (int n = 25; n >= 5; n -= 2) {
        sum = std::fma(sum, z, 2.0 / n);
    }
    return sum;
}

// log(1 + f) = 2 atanh(s) = 2s + 2/3 s^3 + s^5 (2/5 + …) with s = f / (2 + f) and s^2 = z. The
// first two terms are taken to twice the precision, so that y log(x) is good enough for pow.
Pair log_of_mantissa(double f) {
    constexpr Pair two_thirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
    const Pair denominator = fast_sum(2, f);
    const double quotient = f / denominator.high;
    const double remainder = std::fma(-quotient, denominator.high, f) - quotient * denominator.low;
    const Pair s{quotient, remainder / denominator.high};

    const Pair z = product(s, s);
    const Pair cubic = product(product(z, s), two_thirds);
    const double rest = z.high * z.high * s.high * atanh_tail(z.high);
    const Pair sum = fast_sum(2 * s.high, cubic.high);
    return fast_sum(sum.high, sum.low + (2 * s.low + (cubic.low + rest)));
}

// log of a positive finite number: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
Pair log_of(double x) {
    constexpr double ln2_high = 0x1.62e42fefa38p-1;  // 42 bits: times k without error
    constexpr double ln2_low = 0x1.ef35793c7673p-45;
    constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcd;
    const bool is_subnormal = x < std::numeric_limits<double>::min();
    const auto bits = std::bit_cast<std::uint64_t>(is_subnormal ? x * 0x1p54 : x);
    const auto k = static_cast<std::int64_t>(bits - sqrt_half) >> 52;
    const auto mantissa = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(k) << 52));
    const auto exponent = static_cast<double>(is_subnormal ? k - 54 : k);

    const Pair log_mantissa = log_of_mantissa(mantissa - 1);
    const Pair sum = fast_sum(exponent * ln2_high, log_mantissa.high);
    return fast_sum(sum.high, sum.low + std::fma(exponent, ln2_low, log_mantissa.low));
}

bool is_positive_finite(double x) {
    return x > 0 && x < infinity;
}

}  // namespace

double exp(double x) noexcept {
    return exp_of({clamp_exponent(x), 0});
}

double log(double x) noexcept {
    if (is_positive_finite(x)) {
        return log_of(x).high;
    }
    if (x == 0) {
        return -infinity;
    }
    return x > 0 ? infinity : not_a_number;
}

double pow(double x, double y) noexcept {
    if (y == 0 || x == 1) {
        return 1;
    }
    if (!(x >= 0) || std::isnan(y)) {
        return not_a_number;
    }
    if (x == 0 || x == infinity) {
        return (x == 0) == (y < 0) ? infinity : 0;
    }
    const Pair logarithm = log_of(x);
    const double high = y * logarithm.high;
    if (!(std::abs(high) < 800)) {
        return exp(high);
    }
    const double low = std::fma(y, logarithm.high, -high) + y * logarithm.low;
    return exp_of({high, low});
}

}  // namespace lockstep::math
