#include "lp/clp_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <ClpDualRowDantzig.hpp>
#include <ClpFactorization.hpp>
#include <ClpMessage.hpp>
#include <ClpSimplex.hpp>
#include <CoinMessage.hpp>

#include "lockstep/base/index.hpp"

#include "lp/abort_guard.hpp"

namespace lockstep::lp::detail {
namespace {

/// Bits of Clp's whatsChanged() that say "the basis is the one that was factorised".
constexpr int basis_unchanged = 512;

/// Second argument of ClpSimplex::dual and primal.
constexpr int keep_factorisation_and_arrays = 7;
constexpr int start_afresh = 1;  // and keep what arises for the next solve

/// Special options: ours are safe because every optimum is checked anew and crossed bounds are
/// counted.
constexpr unsigned no_sanity_checks = 128;
constexpr unsigned no_factorisation_after_few_pivots = 2048;
constexpr unsigned quiet = 32768;
constexpr unsigned careful = no_sanity_checks | quiet;
constexpr unsigned fast = careful | no_factorisation_after_few_pivots;
constexpr int perturb_when_long = 100;  // when a run has become very long
constexpr int perturb_if_it_helps = 50;
constexpr int geometric_scaling = 2;
constexpr int optimal_at_once_if_factorised = 16777216;  // belongs to the "more special" options

/// Runs of the first attempt: the second with costs that the first had shifted; more are hardly
/// ever of use.
constexpr int most_fast_runs = 3;

constexpr double dual_bound = 1e8;  // the least at which no_factorisation_after_few_pivots works

/// Clp composes its texts anew for each object, which takes longer than loading a small model; a
/// copy of the composed ones is cheaper.
std::unique_ptr<ClpSimplex> make_simplex() {
    static const CoinMessages clp_texts = ClpMessage();
    static const CoinMessages coin_texts = CoinMessage();
    auto simplex = std::make_unique<ClpSimplex>(true);
    *simplex->messagesPointer() = clp_texts;
    *simplex->coinMessagesPointer() = coin_texts;
    return simplex;
}

}  // namespace

void ClpLadder::reset() {
    clp_ = make_simplex();
    clp_->setLogLevel(0);
    clp_->scaling(0);
    clp_->setPerturbation(perturb_when_long);
    clp_->setPrimalTolerance(options_.primal_tolerance);
    clp_->setDualTolerance(options_.dual_tolerance);
    clp_->setDualBound(dual_bound);
    clp_->factorization()->setDenseThreshold(0);  // dense means BLAS
    // Stage LPs are re-solved from a near optimum: better rows do not pay for their weights.
    ClpDualRowDantzig largest_infeasibility;
    clp_->setDualRowPivotAlgorithm(largest_infeasibility);
    iterations_ = 0;
    attempts_ = 0;
    is_broken_ = false;
}

void ClpLadder::forget_factorisation() {
    clp_->setWhatsChanged(clp_->whatsChanged() & ~basis_unchanged);
}

Status ClpLadder::solve() {
    iterations_ = 0;
    attempts_ = 0;
    const Status first = solve_fast();
    if (is_believed_) {
        return first;
    }
    set_careful_options();
    const Status second = first == Status::infeasible || first == Status::unbounded
                              ? solve_from_scratch()
                              : solve_carefully();
    return second == Status::numerical_failure ? solve_scaled() : second;
}

/// Against ties Clp shifts costs by up to a thousandth and, when it ends behind a new
/// factorisation, leaves them so. Each run begins with the true costs: going on from the same basis
/// and factorisation takes the few pivots that the shifts had hidden.
Status ClpLadder::solve_fast() {
    set_fast_options();
    Status status = Status::optimal;
    for (int run = 0; run < most_fast_runs && status == Status::optimal; ++run) {
        status = run_dual(keep_factorisation_and_arrays);
        is_believed_ = status == Status::optimal && claim_holds();
        if (is_believed_) {
            break;
        }
    }
    attempts_ = 1;
    return status;
}

void ClpLadder::set_fast_options() {
    clp_->setSpecialOptions(fast);
    clp_->setMoreSpecialOptions(clp_->moreSpecialOptions() | optimal_at_once_if_factorised);
}

void ClpLadder::set_careful_options() {
    clp_->setSpecialOptions(careful);
    clp_->setMoreSpecialOptions(clp_->moreSpecialOptions() & ~optimal_at_once_if_factorised);
}

/// From the last basis with a new factorisation, by the dual and by the primal method.
Status ClpLadder::solve_carefully() {
    if (const Status by_dual = run_dual(start_afresh); is_final(by_dual)) {
        return by_dual;
    }
    if (const Status by_primal = run_primal(start_afresh); is_final(by_primal)) {
        return by_primal;
    }
    return solve_from_scratch();
}

/// Infeasible and unbounded are believed when the primal method finds them too, or has no answer.
Status ClpLadder::solve_from_scratch() {
    const Status by_dual = solve_from_scratch_by_dual();
    if (is_final(by_dual)) {
        return by_dual;
    }
    take_slack_basis();
    const Status by_primal = run_primal(start_afresh);
    if (by_primal == Status::optimal) {
        return claim_holds() || claim_nearly_holds() ? Status::optimal : Status::numerical_failure;
    }
    return by_primal == Status::numerical_failure && by_dual != Status::optimal ? by_dual
                                                                                : by_primal;
}

/// With Clp's own scaling and perturbation, which help where sizes are badly mixed.
Status ClpLadder::solve_scaled() {
    clp_->scaling(geometric_scaling);
    clp_->setPerturbation(perturb_if_it_helps);
    Status status = solve_from_scratch_by_dual();
    if (!is_final(status)) {
        take_slack_basis();
        status = run_primal(start_afresh);
    }
    if (status == Status::optimal && !claim_holds() && !claim_nearly_holds()) {
        status = Status::numerical_failure;
    }
    clp_->scaling(0);
    clp_->setPerturbation(perturb_when_long);
    clp_->setWhatsChanged(0);
    return status;
}

/// Clp's dual method has been seen to give up too early, and to go on when asked again.
Status ClpLadder::solve_from_scratch_by_dual() {
    take_slack_basis();
    const Status status = run_dual(start_afresh);
    return is_final(status) ? status : run_dual(start_afresh);
}

void ClpLadder::take_slack_basis() {
    clp_->allSlackBasis(true);
    clp_->setWhatsChanged(0);
}

Status ClpLadder::run_dual(int start) {
    return run([this, start] { clp_->dual(0, start); });
}

Status ClpLadder::run_primal(int start) {
    return run([this, start] { clp_->primal(0, start); });
}

/// Clp checks numbers with assertions, which Debian's build keeps. What it held when one failed is
/// left alone, memory included.
template <class Method>
Status ClpLadder::run(Method&& method) {
    if (is_broken_) {
        return Status::numerical_failure;
    }
    set_iterations_left();
    if (survives_abort(method)) {
        return outcome();
    }
    ++attempts_;
    is_broken_ = true;
    abandon();
    return Status::numerical_failure;
}

/// An empty model of the same shape stands in for what was lost.
void ClpLadder::abandon() {
    const int rows = clp_->numberRows();
    const int columns = clp_->numberColumns();
    static_cast<void>(clp_.release());
    clp_ = make_simplex();
    clp_->resize(rows, columns);
}

void ClpLadder::set_iterations_left() {
    clp_->setMaximumIterations(static_cast<int>(
        std::min<std::int64_t>(options_.iteration_limit - iterations_, COIN_INT_MAX)));
}

Status ClpLadder::outcome() {
    iterations_ += clp_->numberIterations();
    ++attempts_;
    if (clp_->getNumElements() == 0) {  // Clp then puts row activities at a bound
        std::fill_n(clp_->primalRowSolution(), clp_->numberRows(), 0.0);
    }
    switch (clp_->status()) {
        case 0:
            return Status::optimal;
        case 1:
            return Status::infeasible;
        case 2:
            return Status::unbounded;
        case 3:  // Clp's own small limits, for example in a clean-up, end this way too
            return iterations_ >= options_.iteration_limit ? Status::iteration_limit
                                                           : Status::numerical_failure;
        default:
            return Status::numerical_failure;
    }
}

bool ClpLadder::is_final(Status status) {
    return status == Status::iteration_limit || (status == Status::optimal && claim_holds());
}

bool ClpLadder::claim_holds() {
    const ClaimedOptimum optimum = claim();
    Slack slack = tight_slack(options_);
    if (check_.holds(optimum, slack)) {
        return true;
    }
    slack.relative = rounding_allowed;
    return !is_at_artificial_bound() && check_.holds(optimum, slack);
}

bool ClpLadder::claim_nearly_holds() {
    return check_.holds(claim(), last_resort);
}

/// Clp's dual method bounds free columns for the time being. On an unbounded face of optima some
/// may stay there, and the large numbers spoil all others.
bool ClpLadder::is_at_artificial_bound() const {
    const auto primal = claim().primal;
    return std::ranges::any_of(primal, [](double x) { return std::abs(x) >= dual_bound; });
}

ClaimedOptimum ClpLadder::claim() const {
    const std::size_t rows = at(clp_->numberRows());
    const std::size_t columns = at(clp_->numberColumns());
    const CoinPackedMatrix* matrix = clp_->matrix();
    return {{clp_->objective(), columns},
            {clp_->columnLower(), columns},
            {clp_->columnUpper(), columns},
            {clp_->rowLower(), rows},
            {clp_->rowUpper(), rows},
            matrix->getVectorStarts(),
            matrix->getVectorLengths(),
            matrix->getIndices(),
            matrix->getElements(),
            {clp_->primalColumnSolution(), columns},
            {clp_->primalRowSolution(), rows},
            {clp_->dualRowSolution(), rows},
            {clp_->dualColumnSolution(), columns}};
}

}  // namespace lockstep::lp::detail
