#include "rl/solve/criteria/total.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "lockstep/base/index.hpp"

#include "rl/solve/equations/policy_values.hpp"
#include "rl/solve/policies/hopeful.hpp"
#include "rl/solve/sweeps/bounds.hpp"
#include "rl/solve/sweeps/plan.hpp"
#include "rl/solve/sweeps/sweep.hpp"
#include "rl/solve/sweeps/weights.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sweeps between proofs where these are made only now and then.
constexpr std::int64_t sweeps_to_a_proof = 64;
constexpr int improving_sweeps = 2;
constexpr double most_that_evaluations_leave = 0.1;

double middle(double low, double high) {
    return low + (high - low) / 2;
}

class TotalSolver {
public:
    TotalSolver(const RowSource& rows,
                const RowFacts& facts,
                const SolveOptions& options,
                std::vector<std::int32_t> first,
                Progress& progress,
                const Workers& workers)
        : rows_(rows),
          facts_(facts),
          options_(options),
          plan_(plan_of(options, rows.is_stored(), facts)),
          progress_(progress),
          workers_(workers),
          in_place_(rows, options.gamma),
          policy_values_(rows, facts, options, plan_, progress, workers),
          v_(at(rows.states()), 0.0),
          next_(v_.size(), 0.0),
          choice_(v_.size(), -1),
          policy_(std::move(first)),
          due_(options.tolerance * (options.gamma < 1 ? 1 - options.gamma : 1)) {
        values_.half_width = infinity;
    }

    Values run() {
        if (plan_.is_by_policy && !policy_.empty()) {
            evaluate();
        } else if (plan_.is_in_place && is_hopeful()) {
            v_ = hopeful_values(rows_, facts_, options_.gamma, progress_, workers_);
        }
        std::optional<Ending> ending;
        while (!ending) {
            ending = progress_.must_end();
            if (!ending && is_early()) {
                sweep_in_place();
            } else if (!ending) {
                ending = prove();
            }
        }
        values_.ending = *ending;
        return finish();
    }

private:
    // Whether to hope has bounds, and something to hope for.
    [[nodiscard]] bool is_hopeful() const {
        return options_.gamma < 1 ? options_.gamma > 0 && facts_.least_going_on < 1
                                  : facts_.earning_pairs == 0;
    }

    [[nodiscard]] bool is_early() const {
        return plan_.is_in_place && !plan_.is_by_policy && progress_.left() > 1 &&
               in_a_row_ < sweeps_to_a_proof && change_ > std::max(due_, rounding_);
    }

    void sweep_in_place() {
        const Change change = in_place_.sweep(v_, is_backwards(), {}, workers_);
        change_ = change.largest();
        rounding_ = rounding_of(facts_, change.size);
        progress_.count(change_);
        ++in_a_row_;
        is_proof_last_ = false;
    }

    // For a goal with the highest number, the usual one, backwards comes first.
    bool is_backwards() { return (is_backwards_ = !is_backwards_); }

    // A sweep over all pairs that gives bounds.
    Change bound() {
        const Change change = jacobi_sweep(rows_, options_.gamma, v_, next_, choice_, workers_);
        in_a_row_ = 0;
        const double before = std::exchange(change_, change.largest());
        share_ = share_after(before);
        rounding_ = rounding_of(facts_, change.size + change_);
        progress_.count(change_);
        is_proof_last_ = true;
        if (options_.gamma < 1) {
            shift_ = discounted_shift(facts_, options_.gamma, change, change.size + change_);
            values_.half_width = (shift_.high - shift_.low) / 2;
        } else {
            prove_by_weights(change);
        }
        progress_.bounds(values_.half_width);
        return change;
    }

    // And what prepares the next sweep, unless there is to be none.
    std::optional<Ending> prove() {
        const Change change = bound();
        if (values_.half_width <= options_.tolerance) {
            return Ending::proven;
        }
        const double spread = is_shifted() ? change.most - change.least : change_;
        if (spread <= rounding_ / 8) {
            return Ending::rounding;
        }
        due_ = std::min(due_, change_ / 4);
        return progress_.left() > 0 ? prepare() : std::nullopt;
    }

    // Equation (11).
    [[nodiscard]] double share_after(double before) const {
        const double ratio = before < infinity ? change_ / before : 1;
        return plan_.is_to_the_end ? 0 : std::min(most_that_evaluations_leave, ratio * ratio);
    }

    /// Whether a difference that is the same in all states counts for nothing.
    [[nodiscard]] bool is_shifted() const {
        return options_.gamma < 1 && facts_.least_going_on == 1;
    }

    void prove_by_weights(const Change& change) {
        if (change_ > std::max(weights_due_, rounding_)) {
            return;
        }
        weights_due_ = change_ / 4;
        const std::int64_t budget = std::min(progress_.left(), 10'000 + 4 * progress_.sweeps());
        WeightedBounds bounds =
            weighted_bounds(rows_, facts_, v_, change, budget, workers_.threads());
        progress_.count(change_, bounds.sweeps);
        if (bounds.is_proven && bounds.half_width < values_.half_width) {
            keep(bounds);
        }
    }

    void keep(WeightedBounds& bounds) {
        values_.half_width = bounds.half_width;
        values_.choice = std::move(bounds.choice);
        values_.value.resize(v_.size());
        values_.lower.resize(v_.size());
        values_.upper.resize(v_.size());
        for (std::size_t s = 0; s < v_.size(); ++s) {
            const bool is_open = values_.choice[s] >= 0;
            const double weight = is_open ? bounds.weight[s] : 0;
            values_.lower[s] =
                is_open ? a_little_less(v_[s] - a_little_more(bounds.low * weight)) : 0;
            values_.upper[s] =
                is_open ? a_little_more(v_[s] + a_little_more(bounds.high * weight)) : 0;
            values_.value[s] = middle(values_.lower[s], values_.upper[s]);
        }
    }

    std::optional<Ending> prepare() {
        if (plan_.is_to_the_end) {
            return improve() ? std::nullopt : std::optional(Ending::rounding);
        }
        v_.swap(next_);
        is_proof_last_ = false;
        if (plan_.is_by_policy) {
            improve_in_place();
            policy_ = choice_;
            evaluate();
        }
        return std::nullopt;
    }

    // What is greedy for values of another policy may go astray far from it; some sweeps more over
    // all pairs agree on a way.
    void improve_in_place() {
        for (int i = 0; plan_.is_in_place && i < improving_sweeps && progress_.left() > 1; ++i) {
            progress_.count(in_place_.sweep(v_, is_backwards(), choice_, workers_).largest());
        }
    }

    // Takes other pairs only where they are better by more than rounding, so that no policy comes
    // twice. False: there are none.
    bool improve() {
        const bool is_first = policy_.empty();
        if (is_first) {
            policy_ = choice_;
        }
        bool is_better = is_first;
        for (std::size_t s = 0; s < v_.size(); ++s) {
            if (choice_[s] != policy_[s] && next_[s] - v_[s] > 4 * rounding_) {
                policy_[s] = choice_[s];
                is_better = true;
            }
        }
        if (is_better) {
            is_proof_last_ = false;
            evaluate();
        }
        return is_better;
    }

    void evaluate() {
        policy_values_.take(policy_);
        policy_values_.improve(v_, share_, plan_.is_to_the_end ? rounding_ / 8 : small_enough());
    }

    // An error of a policy's values with which a proof may succeed.
    [[nodiscard]] double small_enough() const {
        return std::max(rounding_ / 8, options_.tolerance * (1 - options_.gamma) / 4);
    }

    Values finish() {
        if (!is_proof_last_ && progress_.left() > 0) {
            weights_due_ = infinity;
            static_cast<void>(bound());
        }
        if (options_.gamma < 1) {
            keep_shifted();
        } else if (values_.value.empty()) {
            values_.value = v_;
            values_.choice = choice_;
            values_.lower.assign(v_.size(), -infinity);
            values_.upper.assign(v_.size(), infinity);
        }
        return std::move(values_);
    }

    // Without any proof the bounds are those of the rewards: equation (2).
    void keep_shifted() {
        if (!is_proof_last_) {
            const double all = a_little_more(facts_.reward_size / (1 - options_.gamma));
            shift_ = {-all, all};
            next_.assign(v_.size(), 0.0);
        }
        values_.value.resize(v_.size());
        values_.lower.resize(v_.size());
        values_.upper.resize(v_.size());
        values_.choice = std::move(choice_);
        for (std::size_t s = 0; s < v_.size(); ++s) {
            const bool is_open = values_.choice[s] >= 0 || !is_proof_last_;
            values_.lower[s] = is_open ? a_little_less(next_[s] + shift_.low) : 0;
            values_.upper[s] = is_open ? a_little_more(next_[s] + shift_.high) : 0;
            values_.value[s] = middle(values_.lower[s], values_.upper[s]);
        }
    }

    const RowSource& rows_;
    const RowFacts& facts_;
    const SolveOptions& options_;
    Plan plan_;
    Progress& progress_;
    const Workers workers_;
    GaussSeidel in_place_;
    PolicyValues policy_values_;
    std::vector<double> v_;
    std::vector<double> next_;
    std::vector<std::int32_t> choice_;
    std::vector<std::int32_t> policy_;
    double share_ = most_that_evaluations_leave;
    bool is_backwards_ = false;
    bool is_proof_last_ = false;
    double due_;
    double weights_due_ = options_.tolerance;
    double change_ = infinity;
    double rounding_ = 0;
    std::int64_t in_a_row_ = 0;
    Shift shift_{-infinity, infinity};
    Values values_;
};

}  // namespace

Values solve_total(const RowSource& rows,
                   const RowFacts& facts,
                   const SolveOptions& options,
                   std::vector<std::int32_t> first,
                   Progress& progress,
                   const Workers& workers) {
    return TotalSolver(rows, facts, options, std::move(first), progress, workers).run();
}

}  // namespace lockstep::rl
