#include "rl/exchange/feedback.hpp"

#include <cmath>

namespace lockstep::rl {
namespace {

// Of what has come since the round before: `waiting` has some of the cells of `all`.
double root_mean_square(const Delta& all, const Delta& waiting) {
    double sum = 0;
    std::size_t waits = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        while (waits < waiting.size() && waiting.cells[waits] < all.cells[i]) {
            ++waits;
        }
        const bool has_waited = waits < waiting.size() && waiting.cells[waits] == all.cells[i];
        const double change = all.changes[i] - (has_waited ? waiting.changes[waits] : 0);
        sum += change * change;
    }
    return all.size() == 0 ? 0 : std::sqrt(sum / static_cast<double>(all.size()));
}

}  // namespace

Feedback::Parts Feedback::split(const Delta& all, const Delta& waiting) const {
    const double threshold = ratio_ * root_mean_square(all, waiting);
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
