#include "xpcs/cmc/beta_quantile.hpp"

#include <cmath>

#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::cmc {
namespace {

// The continued fraction of the incomplete beta function by the method of Lentz; converges fast for
// x below (a + 1) / (a + b + 2).
double continued_fraction(double x, double a, double b) {
    constexpr double tiny = 1e-300;
    constexpr int most_terms = 100000;
    const auto apart = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1;
    double d = 1 / apart(1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int m = 1; m < most_terms; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / apart(1 + even * d);
        c = apart(1 + even / c);
        fraction *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / apart(1 + odd * d);
        c = apart(1 + odd / c);
        fraction *= c * d;
        if (std::abs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return fraction;
}

double beta_probability(double x, double a, double b) {
    const double log_front =
        log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math::log(x) + b * math::log(1 - x);
    const double front = math::exp(log_front);
    return x < (a + 1) / (a + b + 2) ? front * continued_fraction(x, a, b) / a
                                     : 1 - front * continued_fraction(1 - x, b, a) / b;
}

}  // namespace

double log_gamma(double x) {
    constexpr double large = 12;
    double shift = 0;
    while (x < large) {
        shift += math::log(x);
        x += 1;
    }
    constexpr double half_log_two_pi = 0.91893853320467274178;
    const double square = 1 / (x * x);
    const double series =
        (1.0 / 12 +
         square *
             (-1.0 / 360 +
              square * (1.0 / 1260 + square * (-1.0 / 1680 +
                                               square * (1.0 / 1188 - square * 691.0 / 360360))))) /
        x;
    return (x - 0.5) * math::log(x) - x + half_log_two_pi + series - shift;
}

double beta_quantile(double p, double a, double b) {
    double low = 0;
    double high = 1;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (low + high);
        (beta_probability(middle, a, b) < p ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace lockstep::xpcs::cmc
