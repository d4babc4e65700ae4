#include "app/rl/train/greedy_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

constexpr int states_of_a_part = 4096;
constexpr auto none = -std::numeric_limits<double>::infinity();

// fold(start, body(s, rows of s)) over all states; what fold does must not depend on the order.
template <typename T, typename F, typename G>
T over_states(const rl::RowSource& rows, runtime::ThreadTeam& team, T start, F&& body, G&& fold) {
    const int states = rows.states();
    return team.ordered_reduce(
        (states + states_of_a_part - 1) / states_of_a_part,
        start,
        [&](std::ptrdiff_t part, int) {
            rl::RowWriter writer;
            T sum = start;
            const int begin = static_cast<int>(part) * states_of_a_part;
            for (int s = begin; s < std::min(states, begin + states_of_a_part); ++s) {
                sum = fold(sum, body(s, rows.block(s, s + 1, writer)));
            }
            return sum;
        },
        fold);
}

/// States with a choice, and those where it was a best one.
struct Matches {
    std::int64_t right = 0;
    std::int64_t all = 0;
};

double backed_up(const rl::RowBlock& rows,
                 std::int64_t pair,
                 const std::vector<double>& values,
                 double gamma) {
    double after = 0;
    for (auto k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        after += rows.probability[k] * values[at(rows.next[k])];
    }
    return rows.reward[pair] + gamma * after;
}

}  // namespace

GreedyPolicy::GreedyPolicy(const rl::RowSource& rows,
                           const rl::QTable& table,
                           runtime::ThreadTeam& team)
    : rows_(rows), actions_(at(table.states), -1), maxima_(at(table.states), 0.0) {
    const auto choose = [&](int s, const rl::RowBlock& row) {
        double most = none;
        for (auto pair = row.pair_first[0]; pair < row.pair_first[1]; ++pair) {
            const auto action = row.action[pair];
            const double value = table.values[at(std::ptrdiff_t{s} * table.actions + action)];
            if (value > most) {
                most = value;
                actions_[at(s)] = action;
                maxima_[at(s)] = value;
            }
        }
        return 0;
    };
    over_states(rows, team, 0, choose, [](int, int) { return 0; });
}

double GreedyPolicy::match(const rl::Solution& solution, runtime::ThreadTeam& team) const {
    const auto is_best = [&](int s, int action) {
        return solution.optimal[at(std::ptrdiff_t{s} * rows_.actions() + action)] != 0;
    };
    const auto count = [&](int s, const rl::RowBlock& row) {
        const bool has_worse =
            !std::all_of(row.action + row.pair_first[0],
                         row.action + row.pair_first[1],
                         [&](std::int32_t action) { return is_best(s, action); });
        return has_worse ? Matches{is_best(s, actions_[at(s)]) ? 1 : 0, 1} : Matches{};
    };
    const auto found =
        over_states(rows_, team, Matches{}, count, [](const Matches& a, const Matches& b) {
            return Matches{a.right + b.right, a.all + b.all};
        });
    return found.all == 0 ? 1 : static_cast<double>(found.right) / static_cast<double>(found.all);
}

double GreedyPolicy::bellman_residual(double gamma, runtime::ThreadTeam& team) const {
    const auto residual = [&](int s, const rl::RowBlock& row) {
        double most = none;
        for (auto pair = row.pair_first[0]; pair < row.pair_first[1]; ++pair) {
            most = std::max(most, backed_up(row, pair, maxima_, gamma));
        }
        return most > none ? std::abs(most - maxima_[at(s)]) : 0.0;
    };
    return over_states(
        rows_, team, 0.0, residual, [](double a, double b) { return std::max(a, b); });
}

}  // namespace lockstep::app
