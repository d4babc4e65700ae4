#include "rl/solve/total.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "lockstep/base/index.hpp"

#include "rl/solve/blocks.hpp"
#include "rl/solve/bounds.hpp"
#include "rl/solve/chosen.hpp"
#include "rl/solve/dense.hpp"
#include "rl/solve/linear.hpp"
#include "rl/solve/sweep.hpp"
#include "rl/solve/weights.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How a method uses its sweeps.
struct Plan {
    bool is_in_place = false;    ///< Gauss-Seidel rather than Jacobi
    bool is_by_policy = false;   ///< sweeps over the policy alone follow those over all pairs
    bool is_to_the_end = false;  ///< and go on until rounding
};

Plan plan_of(const SolveOptions& options, const RowSource& rows, const RowFacts& facts) {
    switch (options.method) {
        case Method::value_iteration:
            return {false, false, false};
        case Method::gauss_seidel:
            return {true, false, false};
        case Method::policy_iteration:
            return {true, true, true};
        case Method::modified_policy_iteration:
            return {options.gamma == 1 || facts.least_going_on < 1, true, false};
        case Method::automatic:
            break;
    }
    const bool ends = options.gamma == 1 || facts.least_going_on < 1;
    return {ends, rows.is_stored() && options.gamma < 1, false};
}

/// Sweeps between proofs where these are made only now and then.
constexpr std::int64_t sweeps_to_a_proof = 64;
constexpr std::int64_t sweeps_of_an_evaluation = 400;
constexpr std::int64_t sweeps_on_the_way = 30;  // while the policy still changes
constexpr std::int64_t sweeps_of_standing_still = 100;
constexpr std::int64_t sweeps_before_krylov = 10;
constexpr std::int64_t most_sweeps_of_equations = 6'000;
constexpr int improving_sweeps = 2;
constexpr double enough_of_an_evaluation = 0.03;

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
                runtime::ThreadTeam& team)
        : rows_(rows),
          facts_(facts),
          options_(options),
          plan_(plan_of(options, rows, facts)),
          progress_(progress),
          team_(team),
          in_place_(rows, options.gamma),
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
    [[nodiscard]] bool is_early() const {
        return plan_.is_in_place && !plan_.is_by_policy && progress_.left() > 1 &&
               in_a_row_ < sweeps_to_a_proof && change_ > std::max(due_, rounding_);
    }

    void sweep_in_place() {
        const Change change = in_place_.sweep(v_, is_backwards(), {}, team_);
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
        const Change change = jacobi_sweep(rows_, options_.gamma, v_, next_, choice_, team_);
        in_a_row_ = 0;
        change_ = change.largest();
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
        WeightedBounds bounds = weighted_bounds(rows_, facts_, v_, change, budget, team_);
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
            is_new_ = is_new_ || policy_ != choice_;
            policy_ = choice_;
            evaluate();
        }
        return std::nullopt;
    }

    // What is greedy for values of another policy may go astray far from it; some sweeps more over
    // all pairs agree on a way.
    void improve_in_place() {
        for (int i = 0; plan_.is_in_place && i < improving_sweeps && progress_.left() > 1; ++i) {
            progress_.count(in_place_.sweep(v_, is_backwards(), choice_, team_).largest());
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
            is_new_ = true;
            is_proof_last_ = false;
            evaluate();
        }
        return is_better;
    }

    void evaluate() {
        const bool is_changed = is_new_;
        if (is_new_) {
            policy_rows_ = std::make_unique<RowTable>(Chosen(rows_, policy_), team_);
            is_new_ = false;
        }
        if (plan_.is_to_the_end && rows_.states() <= most_dense_states) {
            auto exact = dense_values(*policy_rows_, options_.gamma);
            progress_.count(infinity);
            if (!exact.empty()) {
                v_ = std::move(exact);
                return;
            }
        }
        evaluate_by_sweeps(is_changed);
    }

    void evaluate_by_sweeps(bool is_changed) {
        const bool is_whole = plan_.is_to_the_end || progress_.sweeps() == 0;
        std::optional<PolicyEquations> equations;
        if (plan_.is_in_place) {
            equations.emplace(*policy_rows_, options_.gamma);
        }
        double first = 0;
        double least = infinity;
        std::int64_t still = 0;
        for (std::int64_t sweep = 0; progress_.left() > 1 && !progress_.must_end(); ++sweep) {
            const Change change = sweep_policy(equations ? &*equations : nullptr);
            const double size =
                is_shifted() && !plan_.is_in_place ? change.most - change.least : change.largest();
            progress_.count(change.largest());
            first = sweep == 0 ? size : first;
            still = size < least ? 0 : still + 1;
            least = std::min(least, size);
            const double enough =
                is_whole ? rounding_of(facts_, change.size) / 8 : enough_of_an_evaluation * first;
            if (size > enough && equations && !is_changed && sweep + 1 >= sweeps_before_krylov) {
                solve_equations(
                    *equations,
                    std::min(enough, std::max(rounding_of(facts_, change.size) / 8, 1e-6 * first)));
                return;
            }
            if (size <= enough || still >= sweeps_of_standing_still ||
                (!is_whole &&
                 sweep >= (is_changed && plan_.is_in_place ? sweeps_on_the_way
                                                           : sweeps_of_an_evaluation))) {
                return;
            }
        }
    }

    void solve_equations(const PolicyEquations& equations, double enough) {
        const std::int64_t budget = std::min(progress_.left() - 1, most_sweeps_of_equations);
        progress_.count(infinity, equations.improve(v_, enough, budget, team_));
    }

    Change sweep_policy(PolicyEquations* equations) {
        if (equations != nullptr) {
            return equations->sweep(v_, is_backwards(), team_);
        }
        const Change change = jacobi_sweep(*policy_rows_, options_.gamma, v_, next_, {}, team_);
        v_.swap(next_);
        return change;
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
    runtime::ThreadTeam& team_;
    GaussSeidel in_place_;
    std::vector<double> v_;
    std::vector<double> next_;
    std::vector<std::int32_t> choice_;
    std::vector<std::int32_t> policy_;
    std::unique_ptr<RowTable> policy_rows_;
    bool is_new_ = true;
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
                   runtime::ThreadTeam& team) {
    return TotalSolver(rows, facts, options, std::move(first), progress, team).run();
}

}  // namespace lockstep::rl
