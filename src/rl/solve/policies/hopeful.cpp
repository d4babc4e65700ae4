#include "rl/solve/policies/hopeful.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lockstep/base/index.hpp"

#include "rl/solve/sweeps/blocks.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_sweeps = 60;
constexpr double least_growth = 1e-9;

/// Values of [begin, end) as they are now, of others as they were before the sweep.
struct Seen {
    const double* now;
    const double* before;
    int begin;
    int end;
    [[nodiscard]] double operator()(std::int32_t s) const {
        return (s >= begin && s < end ? now : before)[s];
    }
};

double best_of_pair(const RowBlock& rows, std::int64_t pair, double gamma, const Seen& seen) {
    double best = rows.ends[pair] != 0 ? 0 : -infinity;
    for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        best = std::max(best, seen(rows.next[k]));
    }
    return rows.reward[pair] + gamma * best;
}

double best_of_state(const RowBlock& rows, std::int64_t local, double gamma, const Seen& seen) {
    double best = rows.pair_first[local] < rows.pair_first[local + 1] ? -infinity : 0;
    for (std::int64_t pair = rows.pair_first[local]; pair < rows.pair_first[local + 1]; ++pair) {
        best = std::max(best, best_of_pair(rows, pair, gamma, seen));
    }
    return best;
}

// Whether a value has grown by more than rounding could.
bool sweep(const RowSource& source,
           double gamma,
           bool is_backwards,
           std::vector<double>& v,
           const std::vector<double>& before,
           const Workers& workers) {
    return over_blocks(
        source,
        workers,
        false,
        [&](int begin, int end, const RowBlock& rows) {
            bool has_grown = false;
            const Seen seen{v.data(), before.data(), begin, end};
            for (int k = begin; k < end; ++k) {
                const int s = is_backwards ? begin + end - 1 - k : k;
                const double best = best_of_state(rows, s - begin, gamma, seen);
                if (best > v[at(s)]) {
                    has_grown |= best - v[at(s)] > least_growth * (1 + std::abs(best));
                    v[at(s)] = best;
                }
            }
            return has_grown;
        },
        [](bool a, bool b) { return a || b; },
        states_of_a_long_block(source.states()));
}

// What has not been reached takes the lowest value of what has.
void replace_infinite(std::vector<double>& v) {
    double lowest = 0;
    for (const double value : v) {
        lowest = value > -infinity ? std::min(lowest, value) : lowest;
    }
    std::replace(v.begin(), v.end(), -infinity, lowest);
}

/// Sums over states, of the pairs that are best for v: rewards, and what v falls by beside them.
struct Balance {
    double paid = 0;
    double fall = 0;
};

Balance balance_of(const RowSource& source,
                   double gamma,
                   const std::vector<double>& v,
                   const Workers& workers) {
    return over_blocks(
        source,
        workers,
        Balance{},
        [&](int begin, int end, const RowBlock& rows) {
            Balance sum;
            for (int s = begin; s < end; ++s) {
                double best = -infinity;
                double reward = 0;
                for (std::int64_t pair = rows.pair_first[s - begin];
                     pair < rows.pair_first[s - begin + 1];
                     ++pair) {
                    const double q = backup(rows, pair, v.data(), gamma);
                    reward = q > best ? rows.reward[pair] : reward;
                    best = std::max(best, q);
                }
                sum.paid += reward;
                sum.fall += best > -infinity ? v[at(s)] - (best - reward) : 0;
            }
            return sum;
        },
        [](const Balance& a, const Balance& b) {
            return Balance{a.paid + b.paid, a.fall + b.fall};
        });
}

}  // namespace

std::vector<double> hopeful_values(const RowSource& source,
                                   const RowFacts& facts,
                                   double gamma,
                                   Progress& progress,
                                   const Workers& workers) {
    const double least = gamma < 1 ? -facts.reward_size / (1 - gamma) : -infinity;
    std::vector<double> v(at(source.states()), least);
    std::vector<double> before;
    for (int i = 0; i < most_sweeps && progress.left() > 2 && !progress.must_end(); ++i) {
        before = v;
        const bool has_grown = sweep(source, gamma, i % 2 == 0, v, before, workers);
        workers.share(std::span(v));
        progress.count(infinity);
        if (!has_grown) {
            break;
        }
    }
    replace_infinite(v);
    if (progress.left() > 1) {
        const Balance balance = balance_of(source, gamma, v, workers);
        progress.count(infinity);
        const double factor = balance.paid / balance.fall;
        for (double& value : v) {
            value *= factor > 0 && std::isfinite(factor) ? factor : 1;
        }
    }
    return v;
}

}  // namespace lockstep::rl
