#include "rl/exchange/feedback.hpp"

#include <cmath>
#include <vector>

namespace lockstep::rl {
namespace {

// Cells of both, ascending; visits and changes add up.
Delta sum_of(const Delta& a, const Delta& b) {
    Delta sum;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        const bool takes_a = j == b.size() || (i < a.size() && a.cells[i] <= b.cells[j]);
        const bool takes_b = i == a.size() || (j < b.size() && b.cells[j] <= a.cells[i]);
        sum.add(takes_a ? a.cells[i] : b.cells[j],
                (takes_a ? a.changes[i] : 0) + (takes_b ? b.changes[j] : 0),
                (takes_a ? a.visits[i] : 0) + (takes_b ? b.visits[j] : 0));
        i += static_cast<std::size_t>(takes_a);
        j += static_cast<std::size_t>(takes_b);
    }
    return sum;
}

double root_mean_square(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value * value;
    }
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

Feedback::Parts Feedback::split(const Delta& waiting, const Delta& changed) const {
    const Delta all = sum_of(waiting, changed);
    const double threshold = ratio_ * root_mean_square(all.changes);
    Parts parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool travels = std::abs(all.changes[i]) >= threshold;
        const double change = travels ? static_cast<double>(static_cast<float>(all.changes[i])) : 0;
        const double rest = all.changes[i] - change;
        if (travels) {
            parts.travelling.add(all.cells[i], change, all.visits[i]);
        }
        if (keeps_ && (rest != 0 || !travels)) {
            parts.waiting.add(all.cells[i], rest, travels ? 0 : all.visits[i]);
        }
    }
    return parts;
}

}  // namespace lockstep::rl
