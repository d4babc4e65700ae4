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
constexpr int optimal_at_once_if_factorised = 16777216;  // belongs to the "more special" options

/// Runs of the first attempt: the second with costs that the first had shifted; more are hardly
/// ever of use.
constexpr int most_fast_runs = 3;

constexpr double dual_bound = 1e8;  // the least at which no_factorisation_after_few_pivots works

/// A claim may be off by so many tolerances, and by so much of the numbers it is made of.
constexpr double tolerances_allowed = 2.0;
constexpr double rounding_allowed = 1e-11;
constexpr double last_resort_allowed = 1e-7;

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
    clp_->setPerturbation(100);  // only when a run has become very long
    clp_->setPrimalTolerance(options_.primal_tolerance);
    clp_->setDualTolerance(options_.dual_tolerance);
    clp_->setDualBound(dual_bound);
    clp_->factorization()->setDenseThreshold(0);  // dense means BLAS
    // Stage LPs are re-solved from a near optimum: better rows do not pay for their weights.
    ClpDualRowDantzig largest_infeasibility;
    clp_->setDualRowPivotAlgorithm(largest_infeasibility);
    iterations_ = 0;
    attempts_ = 0;
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
    return first == Status::infeasible || first == Status::unbounded ? solve_from_scratch()
                                                                     : solve_carefully();
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
        return claim_holds() || claim_holds_within(last_resort_allowed) ? Status::optimal
                                                                        : Status::numerical_failure;
    }
    return by_primal == Status::numerical_failure && by_dual != Status::optimal ? by_dual
                                                                                : by_primal;
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
    set_iterations_left();
    clp_->dual(0, start);
    return outcome();
}

Status ClpLadder::run_primal(int start) {
    set_iterations_left();
    clp_->primal(0, start);
    return outcome();
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
    Slack slack{tolerances_allowed * options_.primal_tolerance,
                tolerances_allowed * options_.dual_tolerance};
    if (check_.holds(optimum, slack)) {
        return true;
    }
    slack.relative = rounding_allowed;
    return !is_at_artificial_bound() && check_.holds(optimum, slack);
}

bool ClpLadder::claim_holds_within(double share) {
    return check_.holds(claim(), {share, share, share});
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
