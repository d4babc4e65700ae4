#include "rl/solve/equations/policy_values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "rl/solve/equations/dense.hpp"
#include "rl/solve/policies/chosen.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::int64_t sweeps_of_an_evaluation = 400;
constexpr double enough_of_an_evaluation = 0.03;
constexpr std::int64_t sweeps_of_standing_still = 100;
// Of first policies, in which one may go round in circles for long, only some sweeps are worth it.
constexpr int first_rounds = 4;
constexpr std::int64_t sweeps_of_a_first_round = 30;
constexpr std::int64_t sweeps_before_equations = 4;
constexpr std::int64_t most_sweeps_of_equations = 20'000;

}  // namespace

PolicyValues::PolicyValues(const RowSource& rows,
                           const RowFacts& facts,
                           const SolveOptions& options,
                           const Plan& plan,
                           Progress& progress,
                           const Workers& workers)
    : rows_(rows),
      facts_(facts),
      options_(options),
      plan_(plan),
      progress_(progress),
      workers_(workers) {}

void PolicyValues::take(const std::vector<std::int32_t>& policy) {
    if (policy_ != policy) {
        policy_ = policy;
        table_.reset();
        equations_.reset();
    }
}

void PolicyValues::improve(std::vector<double>& v, double share, double least) {
    if (plan_.is_to_the_end && rows_.states() <= most_dense_states && solve_densely(v)) {
        return;
    }
    if (plan_.is_in_place) {
        solve_equations(v, share, least);
    } else {
        sweep_policy(v);
    }
}

bool PolicyValues::solve_densely(std::vector<double>& v) {
    auto exact = dense_values(RowTable(Chosen(rows_, policy_), workers_.threads()), options_.gamma);
    progress_.count(infinity);
    if (exact.empty()) {
        return false;
    }
    v = std::move(exact);
    return true;
}

void PolicyValues::sweep_policy(std::vector<double>& v) {
    if (!table_) {
        table_ = std::make_unique<RowTable>(
            Chosen(rows_, policy_), workers_.threads(), workers_.own(rows_.states()));
    }
    // Where nothing ends, a difference that is the same in all states counts for nothing.
    const bool is_shifted = options_.gamma < 1 && facts_.least_going_on == 1;
    next_.resize(v.size());
    double first = infinity;
    for (int i = 0; i < sweeps_of_an_evaluation && progress_.left() > 1 && !progress_.must_end();
         ++i) {
        const Change change = jacobi_sweep(*table_, options_.gamma, v, next_, {}, workers_);
        v.swap(next_);
        progress_.count(change.largest());
        const double size = is_shifted ? change.most - change.least : change.largest();
        first = i == 0 ? size : first;
        if (size <= enough_of_an_evaluation * first) {
            return;
        }
    }
}

void PolicyValues::solve_equations(std::vector<double>& v, double share, double least) {
    if (!equations_) {
        equations_.emplace(rows_, policy_, options_.gamma, workers_);
    }
    if (!plan_.is_to_the_end && ++rounds_ <= first_rounds) {
        sweep_equations(v, sweeps_of_a_first_round, share, least);
        return;
    }
    const double error = sweep_equations(v, sweeps_before_equations, share, least);
    const double enough = std::max(share * error, least);
    if (error <= enough || progress_.left() <= 1) {
        return;
    }
    if (workers_.is_divided()) {  // without the levels of groups
        sweep_equations(v, sweeps_of_an_evaluation, 0, enough);
        return;
    }
    const auto improved = equations_->improve(
        v, enough, std::min(progress_.left() - 1, most_sweeps_of_equations), workers_.threads());
    progress_.count(improved.error, improved.sweeps);
    if (improved.error > enough) {
        const std::int64_t most = plan_.is_to_the_end ? progress_.left() : sweeps_of_an_evaluation;
        sweep_equations(v, most, 0, enough);
    }
}

// Until the change is this share of the first, or as small as `least`, or no longer falls. Returns
// the last change.
double PolicyValues::sweep_equations(std::vector<double>& v,
                                     std::int64_t most,
                                     double share,
                                     double least) {
    double first = infinity;
    double smallest = infinity;
    double size = infinity;
    std::int64_t still = 0;
    for (std::int64_t i = 0; i < most && still < sweeps_of_standing_still && progress_.left() > 1 &&
                             !progress_.must_end();
         ++i) {
        is_backwards_ = !is_backwards_;
        size = equations_->sweep(v, is_backwards_, workers_).largest();
        progress_.count(size);
        first = i == 0 ? size : first;
        if (size <= std::max(share * first, least)) {
            break;
        }
        still = size < smallest ? 0 : still + 1;
        smallest = std::min(smallest, size);
    }
    return size;
}

}  // namespace lockstep::rl
