#include "rl/solve/criteria/horizon.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

#include "rl/solve/policies/best_actions.hpp"
#include "rl/solve/policies/chosen.hpp"
#include "rl/solve/sweeps/bounds.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {
namespace {

/// Steps from the last one back.
class Induction {
public:
    Induction(const RowSource& rows,
              const RowFacts& facts,
              const SolveOptions& options,
              const Workers& workers)
        : rows_(rows),
          facts_(facts),
          options_(options),
          workers_(workers),
          v_(at(rows.states()), 0.0),
          next_(v_) {
        solution_.policy.assign(v_.size(), -1);
        solution_.decisions.assign(v_.size() * at(options.horizon), -1);
    }

    void step(int step, Progress& progress) {
        is_last_ = step == 0;
        if (is_last_) {
            after_ = v_;
            error_after_ = error_;
        }
        std::vector<std::int32_t> choice(v_.size());
        const Change change = jacobi_sweep(rows_, options_.gamma, v_, next_, choice, workers_);
        v_.swap(next_);
        progress.count(change.largest());
        // Equation (10).
        error_ = a_little_more(options_.gamma * error_ +
                               rounding_of(facts_, change.size + change.largest()));
        record(step, choice);
    }

    // The steps before the one that was done last may add as much as rewards are large.
    void give_up(int missing) {
        error_ = a_little_more(error_ + a_little_more(missing * facts_.reward_size));
        double size = 0;
        for (const double v : v_) {
            size = std::max(size, std::abs(v));
        }
        error_ = a_little_more(error_ + 2 * size);
    }

    Solution finish(Ending ending) {
        solution_.ending =
            ending == Ending::proven && error_ > options_.tolerance ? Ending::rounding : ending;
        solution_.half_width = error_;
        solution_.value = v_;
        mark();
        enclose(v_, error_);
        return std::move(solution_);
    }

private:
    void record(int step, const std::vector<std::int32_t>& choice) {
        solution_.policy = actions_of(rows_, choice, workers_);
        std::copy(solution_.policy.begin(),
                  solution_.policy.end(),
                  solution_.decisions.begin() + std::ptrdiff_t{step} * rows_.states());
    }

    void enclose(const std::vector<double>& v, double error) {
        solution_.lower.resize(v.size());
        solution_.upper.resize(v.size());
        for (std::size_t s = 0; s < v.size(); ++s) {
            solution_.lower[s] = a_little_less(v[s] - error);
            solution_.upper[s] = a_little_more(v[s] + error);
        }
    }

    // Best actions of the first step are those that the values after it make best.
    void mark() {
        if (!is_last_) {
            solution_.optimal.assign(v_.size() * at(rows_.actions()), 0);
            return;
        }
        enclose(v_, error_);
        const std::vector<double> lower = solution_.lower;
        enclose(after_, error_after_);
        solution_.lower = lower;
        mark_best_actions(rows_, facts_, options_, solution_, workers_);
    }

    const RowSource& rows_;
    const RowFacts& facts_;
    const SolveOptions& options_;
    const Workers workers_;
    std::vector<double> v_;
    std::vector<double> next_;
    std::vector<double> after_;
    double error_ = 0;
    double error_after_ = 0;
    bool is_last_ = false;
    Solution solution_;
};

}  // namespace

Solution solve_horizon(const RowSource& rows,
                       const RowFacts& facts,
                       const SolveOptions& options,
                       Progress& progress,
                       const Workers& workers) {
    Induction induction(rows, facts, options, workers);
    for (int step = options.horizon - 1; step >= 0; --step) {
        if (const auto ending = progress.must_end()) {
            induction.give_up(step + 1);
            return induction.finish(*ending);
        }
        induction.step(step, progress);
    }
    return induction.finish(Ending::proven);
}

}  // namespace lockstep::rl
