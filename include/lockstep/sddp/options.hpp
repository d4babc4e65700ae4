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
    /// bound_stalling: relative change below which the bound stands still; gap: what it may be, as
    /// a share of max(1, |lower bound|)
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
    SpeedOptions speed;
    /// After so many iterations training ends whatever else holds; 0: never.
    [[nodiscard]] int iteration_limit() const noexcept;
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

/// What simulate() is asked for. Equal on all ranks.
struct SimulateOptions {
    int scenarios = 2000;
    bool enumerated = false;  ///< instead every path through the tree once
    lp::SolverKind solver = lp::default_solver();
    lp::SolverOptions tolerances;
    SpeedOptions speed;
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

}  // namespace lockstep::sddp
