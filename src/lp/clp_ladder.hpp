#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <ClpSimplex.hpp>

#include "lockstep/lp/solver.hpp"

#include "lp/optimality.hpp"

namespace lockstep::lp::detail {

/// Runs Clp so that its answers can be believed.
///
/// The first attempt is the cheapest: last basis, last factorisation, last work arrays, and once
/// more from there where costs had been shifted. What it
/// claims is checked from the definition of an optimum; a claim that fails is tried again on a
/// ladder of ever more expensive runs, in a fixed order.
class ClpLadder {
public:
    explicit ClpLadder(const SolverOptions& options) : options_(options) { reset(); }

    /// A new ClpSimplex with our settings: the only way to be sure that no tuning of the last model
    /// stays.
    void reset();

    ClpSimplex& clp() noexcept { return *clp_; }
    [[nodiscard]] const ClpSimplex& clp() const noexcept { return *clp_; }

    /// The basis or the factorised rows are no longer those of the last run.
    void forget_factorisation();

    Status solve();

    /// Pivots of the last solve, all attempts together.
    [[nodiscard]] std::int64_t iterations() const noexcept { return iterations_; }

    /// Attempts of the last solve after the first.
    [[nodiscard]] int retries() const noexcept { return std::max(attempts_ - 1, 0); }

private:
    void set_fast_options();
    void set_careful_options();
    Status solve_fast();
    Status solve_carefully();
    Status solve_from_scratch();
    Status solve_from_scratch_by_dual();
    Status solve_scaled();
    void take_slack_basis();

    Status run_dual(int start);
    Status run_primal(int start);
    template <class Method>
    Status run(Method&& method);
    void abandon();
    void set_iterations_left();
    Status outcome();

    bool is_final(Status status);
    bool claim_holds();
    bool claim_nearly_holds();
    [[nodiscard]] bool is_at_artificial_bound() const;
    [[nodiscard]] ClaimedOptimum claim() const;

    SolverOptions options_;
    std::unique_ptr<ClpSimplex> clp_;
    OptimalityCheck check_;
    std::int64_t iterations_ = 0;
    int attempts_ = 0;
    bool is_believed_ = false;  // the first attempt's answer
    bool is_broken_ = false;    // a failed assertion of Clp's left it without a model
};

}  // namespace lockstep::lp::detail
