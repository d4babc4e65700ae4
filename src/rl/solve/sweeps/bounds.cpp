#include "rl/solve/sweeps/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::rl {
namespace {

constexpr double ulp = 0x1p-52;

/// Smallest and largest factor by which a pair shrinks a constant: gamma times the probability to
/// go on.
struct Shrinking {
    double least;
    double most;
};

Shrinking shrinking_of(const RowFacts& facts, double gamma) {
    const double slack = (2 * facts.longest + 8) * ulp;
    return {gamma * facts.least_going_on * (1 - slack),
            std::min(gamma, gamma * facts.most_going_on * (1 + slack))};
}

// Equation (4): c with hi + k·c <= c for every k between the factors.
double far_enough(double hi, const Shrinking& k) {
    return hi >= 0 ? hi / (1 - k.most) * (1 + 8 * ulp) : hi / (1 - k.least) * (1 - 8 * ulp);
}

// Equation (5).
double largest_of(const Shrinking& k, double c) {
    return c >= 0 ? k.most * c * (1 + 8 * ulp) : k.least * c * (1 - 8 * ulp);
}

}  // namespace

double rounding_of(const RowFacts& facts, double size) {
    return (2.0 * facts.longest + 8) * ulp * (facts.reward_size + size);
}

double a_little_more(double x) {
    return x + 4 * ulp * std::abs(x) + std::numeric_limits<double>::denorm_min();
}

double a_little_less(double x) {
    return -a_little_more(-x);
}

Shift discounted_shift(const RowFacts& facts, double gamma, const Change& change, double size) {
    const Shrinking k = shrinking_of(facts, gamma);
    const double rounding = rounding_of(facts, size);
    const double high = far_enough(change.most + rounding, k);
    const double low = -far_enough(-(change.least - rounding), k);
    return {-a_little_more(largest_of(k, -low) + rounding),
            a_little_more(largest_of(k, high) + rounding)};
}

}  // namespace lockstep::rl
