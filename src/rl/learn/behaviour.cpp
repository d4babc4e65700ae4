#include "lockstep/rl/learn/behaviour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/rl/draws.hpp"

namespace lockstep::rl {
namespace {

constexpr std::size_t most_actions = 64;

bool is_in(ActionMask set, int action) noexcept {
    return (set >> static_cast<unsigned>(action) & 1U) != 0;
}

template <typename V>
std::uint64_t visits_of(const RowView<V>& row) noexcept {
    std::uint64_t sum = 0;
    for (int a = 0; a < row.actions; ++a) {
        sum += row.visits[a];
    }
    return sum;
}

// The first action whose running sum is above u of (0, 1).
int drawn(std::span<const double> probabilities, double u) noexcept {
    double sum = 0;
    int last = 0;
    for (int a = 0; a < static_cast<int>(probabilities.size()); ++a) {
        sum += probabilities[at(a)];
        if (probabilities[at(a)] > 0) {
            last = a;
            if (u < sum) {
                break;
            }
        }
    }
    return last;
}

}  // namespace

Behaviour::Behaviour(const Exploration& exploration)
    : exploration_(exploration),
      is_plain_(exploration.rule == Exploration::Rule::epsilon_greedy &&
                exploration.level.rule != Schedule::Rule::visits),
      random_ties_(exploration.random_ties) {}

void Behaviour::set_level(std::int64_t transitions) noexcept {
    level_ = exploration_.level.at(transitions);
    threshold_ = static_cast<std::uint64_t>(std::min(level_, 1.0) * 0x1p32);
}

template <typename V>
double Behaviour::rate(const RowView<V>& row) const noexcept {
    if (exploration_.level.rule != Schedule::Rule::visits) {
        return level_;
    }
    const auto visits = std::max<std::uint64_t>(visits_of(row), 1);
    return level_ / std::sqrt(static_cast<double>(visits));
}

template <typename V>
int Behaviour::choose_other(const RowView<V>& row, const Best& best, std::uint64_t random) const {
    const auto pick = static_cast<std::uint32_t>(random);
    if (exploration_.rule == Exploration::Rule::ucb) {
        return greedy(bonus_best(row), pick, random_ties_);
    }
    if (exploration_.rule == Exploration::Rule::softmax) {
        std::array<double, most_actions> room{};
        const auto probabilities = std::span(room).first(at(row.actions));
        softmax(row, best, probabilities);
        return drawn(probabilities, unit_interval(random));
    }
    const bool explores = static_cast<double>(random >> 32U) * 0x1p-32 < rate(row);
    return explores ? any_of(row.legal, pick) : greedy(best, pick, random_ties_);
}

// Weights relative to the best one's, so that none overflows.
template <typename V>
void Behaviour::softmax(const RowView<V>& row,
                        const Best& best,
                        std::span<double> probabilities) const {
    const double temperature = rate(row);
    double sum = 0;
    for (int a = 0; a < row.actions; ++a) {
        const double gap = double{row.values[a]} - best.value;
        const double weight = temperature > 0 ? math::exp(gap / temperature) : gap == 0 ? 1 : 0;
        probabilities[at(a)] = is_in(row.legal, a) ? weight : 0;
        sum += probabilities[at(a)];
    }
    for (double& probability : probabilities) {
        probability /= sum;
    }
}

template <typename V>
Best Behaviour::bonus_best(const RowView<V>& row) const {
    std::array<double, most_actions> scores{};
    const auto all = static_cast<double>(std::max<std::uint64_t>(visits_of(row), 1));
    const double log_all = math::log(all);
    const double bonus = rate(row);
    for (int a = 0; a < row.actions; ++a) {
        const std::uint32_t visits = row.visits[a];
        scores[at(a)] = visits == 0 ? std::numeric_limits<double>::infinity()
                                    : double{row.values[a]} + bonus * std::sqrt(log_all / visits);
    }
    return best_of(scores.data(), row.legal, row.actions);
}

template <typename V>
void Behaviour::probabilities(const RowView<V>& row,
                              const Best& best,
                              std::span<double> probabilities) const {
    if (exploration_.rule == Exploration::Rule::softmax) {
        return softmax(row, best, probabilities);
    }
    const bool is_ucb = exploration_.rule == Exploration::Rule::ucb;
    const ActionMask ties = is_ucb ? bonus_best(row).ties : best.ties;
    const double explored = is_ucb ? 0 : std::min(rate(row), 1.0);
    const ActionMask chosen = random_ties_ ? ties : ties & (~ties + 1);
    for (int a = 0; a < row.actions; ++a) {
        const double any = is_in(row.legal, a) ? explored / std::popcount(row.legal) : 0;
        const double greedy = is_in(chosen, a) ? (1 - explored) / std::popcount(chosen) : 0;
        probabilities[at(a)] = any + greedy;
    }
}

template <typename V>
double Behaviour::expected(const RowView<V>& row, const Best& best) const {
    std::array<double, most_actions> room{};
    const auto weights = std::span(room).first(at(row.actions));
    probabilities(row, best, weights);
    double sum = 0;
    for (int a = 0; a < row.actions; ++a) {
        sum += is_in(row.legal, a) ? weights[at(a)] * double{row.values[a]} : 0;
    }
    return sum;
}

template int Behaviour::choose_other(const RowView<double>&, const Best&, std::uint64_t) const;
template int Behaviour::choose_other(const RowView<float>&, const Best&, std::uint64_t) const;
template double Behaviour::expected(const RowView<double>&, const Best&) const;
template double Behaviour::expected(const RowView<float>&, const Best&) const;
template void Behaviour::probabilities(const RowView<double>&,
                                       const Best&,
                                       std::span<double>) const;
template void Behaviour::probabilities(const RowView<float>&, const Best&, std::span<double>) const;

}  // namespace lockstep::rl
