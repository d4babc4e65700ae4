#include "rl/solve/sweeps/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lockstep/base/index.hpp"

#include "rl/solve/sweeps/blocks.hpp"
#include "rl/solve/sweeps/bounds.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_weight = 1e13;

/// The pairs that come within `width` of the value of their state, each at a price of 1.
class TightRows : public RowSource {
public:
    TightRows(const RowSource& source, std::span<const double> v, double width)
        : source_(source), v_(v), width_(width) {}
    [[nodiscard]] int states() const override { return source_.states(); }
    [[nodiscard]] int actions() const override { return source_.actions(); }
    void write(int s, RowWriter& writer) const override {
        thread_local RowWriter inner;
        const RowBlock rows = source_.block(s, s + 1, inner);
        for (std::int64_t pair = rows.pair_first[0]; pair < rows.pair_first[1]; ++pair) {
            if (backup(rows, pair, v_.data(), 1) >= v_[at(s)] - width_) {
                writer.copy(rows, pair, rows.action[pair], 1, {});
            }
        }
    }

private:
    const RowSource& source_;
    std::span<const double> v_;
    double width_;
};

/// Most steps that tight pairs can take, nearly: w with w - Pw >= 1/2 for each of them.
struct Steps {
    bool is_found = false;
    std::int64_t sweeps = 0;
    std::vector<double> weight;
};

Steps most_steps(const RowSource& tight, std::int64_t budget, runtime::ThreadTeam& team) {
    Steps steps{false, 0, std::vector<double>(at(tight.states()), 1.0)};
    std::vector<double> next(steps.weight.size());
    GaussSeidel in_place(tight, 1);
    while (steps.sweeps + 2 <= budget) {
        const bool is_backwards = steps.sweeps % 2 == 0;
        const Change change = in_place.sweep(steps.weight, is_backwards, {}, team);
        ++steps.sweeps;
        if (!(change.size < largest_weight)) {
            return steps;
        }
        if (change.largest() <= 0.25) {
            ++steps.sweeps;
            if (jacobi_sweep(tight, 1, steps.weight, next, {}, team).most <= 0.5) {
                steps.is_found = true;
                return steps;
            }
        }
    }
    return steps;
}

/// Multiples of the weight that are enough, and those that are too much for a pair that the weight
/// does not cover.
struct Multiples {
    double low = 0;
    double high = 0;
    double too_high = infinity;
    double weight = 0;  ///< the largest
    bool is_possible = true;
};

Multiples folded(const Multiples& a, const Multiples& b) {
    return {std::max(a.low, b.low),
            std::max(a.high, b.high),
            std::min(a.too_high, b.too_high),
            std::max(a.weight, b.weight),
            a.is_possible && b.is_possible};
}

/// Equation (7): how far a pair's value lies below that of its state, and how far the weight falls,
/// both at least.
struct Slack {
    double gap;
    double drop;
};

class Prover {
public:
    Prover(const RowFacts& facts, std::span<const double> v, double size, std::span<const double> w)
        : v_(v), w_(w), rounding_(rounding_of(facts, size)) {
        facts_.longest = facts.longest;
        weight_rounding_ = rounding_of(facts_, *std::max_element(w.begin(), w.end()));
    }

    [[nodiscard]] Slack slack_of(const RowBlock& rows, std::int64_t pair, int s) const {
        double after = 0;
        for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
            after += rows.probability[k] * w_[at(rows.next[k])];
        }
        return {v_[at(s)] - backup(rows, pair, v_.data(), 1) - rounding_,
                w_[at(s)] - after - weight_rounding_};
    }

    // Equation (8): gap + c·drop >= 0 for every pair.
    void see_pair(const Slack& slack, Multiples& sum) const {
        if (slack.drop > 0) {
            sum.high = std::max(sum.high, a_little_more(-slack.gap / slack.drop));
        } else if (slack.drop < 0 && slack.gap > 0) {
            sum.too_high = std::min(sum.too_high, a_little_less(slack.gap / -slack.drop));
        } else if (!(slack.drop == 0 && slack.gap >= 0)) {
            sum.is_possible = false;
        }
    }

    // Equation (9): c·drop >= gap + 2·rounding for the pair of the policy.
    void see_choice(const Slack& slack, Multiples& sum) const {
        if (!(slack.drop > 0)) {
            sum.is_possible = false;
            return;
        }
        sum.low = std::max(sum.low, a_little_more((slack.gap + 2 * rounding_) / slack.drop));
    }

    [[nodiscard]] Multiples see(const RowBlock& rows,
                                int begin,
                                int end,
                                std::span<std::int32_t> choice) const {
        Multiples sum;
        for (int s = begin; s < end; ++s) {
            Slack best{infinity, 0};
            choice[at(s)] = -1;
            const std::int64_t first = rows.pair_first[s - begin];
            for (std::int64_t pair = first; pair < rows.pair_first[s - begin + 1]; ++pair) {
                const Slack slack = slack_of(rows, pair, s);
                see_pair(slack, sum);
                if (slack.drop > 0 && slack.gap < best.gap) {
                    best = slack;
                    choice[at(s)] = static_cast<std::int32_t>(pair - first);
                }
            }
            if (rows.pair_first[s - begin + 1] > first) {
                sum.weight = std::max(sum.weight, w_[at(s)]);
                see_choice(best, sum);
            }
        }
        return sum;
    }

private:
    std::span<const double> v_;
    std::span<const double> w_;
    RowFacts facts_;
    double rounding_;
    double weight_rounding_ = 0;
};

}  // namespace

WeightedBounds weighted_bounds(const RowSource& source,
                               const RowFacts& facts,
                               std::span<const double> v,
                               const Change& change,
                               std::int64_t budget,
                               runtime::ThreadTeam& team) {
    WeightedBounds bounds;
    bounds.choice.resize(v.size());
    const double size = change.size + change.largest();
    const double rounding = rounding_of(facts, size);
    double width = 4 * (rounding + change.largest());
    for (int attempt = 0; attempt < 4 && bounds.sweeps < budget; ++attempt) {
        Steps steps =
            most_steps(RowTable(TightRows(source, v, width), team), budget - bounds.sweeps, team);
        bounds.sweeps += steps.sweeps;
        if (!steps.is_found) {
            return bounds;
        }
        const Prover prover(facts, v, size, steps.weight);
        ++bounds.sweeps;
        const Multiples found = over_blocks(
            source,
            team,
            Multiples{},
            [&](int begin, int end, const RowBlock& rows) {
                return prover.see(rows, begin, end, bounds.choice);
            },
            folded);
        if (found.is_possible && found.high < found.too_high) {
            bounds.is_proven = true;
            bounds.low = found.low;
            bounds.high = found.high;
            bounds.half_width = (found.low + found.high) / 2 * found.weight;
            bounds.weight = std::move(steps.weight);
            return bounds;
        }
        width = 4 * width + 4 * (found.low + found.high) * found.weight;
    }
    return bounds;
}

}  // namespace lockstep::rl
