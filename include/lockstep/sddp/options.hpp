#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "lockstep/lp/solver.hpp"

namespace lockstep::sddp {

/// One reason to end training.
struct StoppingRule {
    enum class Kind { iteration_limit, time_limit, bound_stalling, gap };
    Kind kind = Kind::iteration_limit;
    int iterations =
        0;  ///< iteration_limit: the limit; bound_stalling: how far back to compare (>= 1)
    double seconds = 0;  ///< time_limit
                         /// bound_stalling: relative change below which the bound stands still;
                         /// gap, between the lower
    /// bound and an exact upper bound, the one from within or the upper end of the interval of the
    /// policy's cost: what it may be, as a share of max(1, |lower bound|)
    double tolerance = 0;
    double absolute_tolerance = 0;  ///< or a change, or a gap, of so much or less [$]
    int min_iterations = 0;         ///< bound_stalling: does not hold before so many
    /// bound_stalling: does not hold while the costs of the trajectories since the iteration
    /// compared with lie further above the bound, as a share of it, even at the lower end of their
    /// 95 % interval. Not looked at where a stage is averse to risk.
    double max_gap = std::numeric_limits<double>::infinity();
    /// @throws InputError
    void validate() const;
};

/// Short cuts, each of which may be switched off; optimal values do not change, paths may, and with
/// them digests (docs/sddp-theory.md, section 5).
struct SpeedOptions {
    bool lazy_cuts = true;  ///< working set of cuts in the LP; off: every cut of the pool
    bool ordered_openings =
        true;                ///< openings along a short path through the noise; off: 0, 1, 2 …
    bool warm_start = true;  ///< start from the basis stored for the unit of work
    bool substitute_evaporation = true;  ///< where its slacks are dominated; off: a row each
    bool multi_cut = false;  ///< a future cost and a cut for each outcome; off: one of their mean
    // Of lazy cuts:
    int cuts_per_round = 4;  ///< cuts that enter an LP before it is solved again
    double violation = 0;    ///< by which a cut must be violated to enter [$]; 0: what the solver's
                             ///< tolerance tells from none
    int seed_window = 0;     ///< cuts of so many iterations are in each LP from the start
    int lazy_from = 1;       ///< iteration before which all cuts are
    double activity = 0;     ///< dual above which a cut supports an optimum [$ per $]
    /// @throws InputError
    void validate() const;
};

/// Which cuts the LPs of a stage may take. All cuts of the first stage always, so that the lower
/// bound never falls, and those of the iteration under way.
struct CutSelection {
    enum class Method {
        all,
        level1,  ///< within `tolerance` of the highest cut at some visited state
        lml1,    ///< at some visited state the oldest of these
        recent   ///< made, or in support of an optimum, in the last `window` iterations
    };
    Method method = Method::all;
    double tolerance = 0;   ///< [$]
    int every = 5;          ///< iterations from one selection to the next
    int window = 1;         ///< [iterations]
    int most_selected = 0;  ///< cuts a node, the latest to have been active; 0: any number
    [[nodiscard]] bool needs_states() const noexcept {
        return method == Method::level1 || method == Method::lml1;
    }
    /// @throws InputError
    void validate() const;
};

/// When the upper bound from within is evaluated (docs/sddp-theory.md, section 6).
struct InnerBoundOptions {
    int every = 0;  ///< iterations from one evaluation to the next; 0: never
    int first = 1;  ///< iteration of the first one
    double fallback_price =
        0;  ///< for states of which a change has no price by itself [$ per unit
            ///< of the state]: the bound is one only if it is not too low; 0: none
    /// @throws InputError
    void validate() const;
};

/// When the cost of the policy is estimated from sampled paths (docs/sddp-theory.md, section 6).
struct PolicyCostOptions {
    int every = 0;   ///< iterations from one estimate to the next; 0: never
    int first = 1;   ///< iteration of the first one
    int paths = 20;  ///< of an estimate
    /// @throws InputError
    void validate() const;
};

/// How the LPs of a pass are solved.
struct PassSolver {
    lp::SolverOptions tolerances;
    bool warm_start = true;  ///< as in SpeedOptions
    friend bool operator==(const PassSolver&, const PassSolver&) = default;
};

/// What train() is asked for. Equal on all ranks.
struct TrainOptions {
    int forward_passes = 1;  ///< trajectories an iteration, over all ranks
    /// Instead every node of the policy graph once an iteration, with an exact upper bound. The
    /// graph must be a tree whose nodes have one outcome each.
    bool enumerated = false;
    std::vector<StoppingRule> stopping;  ///< holds at least one iteration_limit
    int checkpoint_iterations = 0;       ///< on_checkpoint after every so many; 0: never
    int checkpoint_first = 0;            ///< the first of these; 0: the interval
    double checkpoint_seconds = 0;       ///< and when the last one is so long ago; 0: never
    bool stop_when_all = false;  ///< all rules but iteration_limit; the largest limit always ends
    lp::SolverKind solver = lp::default_solver();
    lp::SolverOptions tolerances;
    std::optional<PassSolver> forward;  ///< of the forward pass, where it has its own
    SpeedOptions speed;
    CutSelection selection;
    InnerBoundOptions inner;
    PolicyCostOptions policy_cost;
    /// Whether the policy has the states that were visited.
    bool keep_states = false;
    /// After so many iterations training ends whatever else holds; 0: never.
    [[nodiscard]] int iteration_limit() const noexcept;
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

/// What simulate() is asked for. Equal on all ranks.
struct SimulateOptions {
    int scenarios = 2000;
    int cycles = 1;  ///< passages of a scenario through the stages, where these go in a circle
    bool enumerated = false;  ///< instead every path through the tree once
    lp::SolverKind solver = lp::default_solver();
    lp::SolverOptions tolerances;
    SpeedOptions speed;
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

}  // namespace lockstep::sddp
