#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/policy.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/scaling.hpp"

namespace lockstep::sddp {

/// Why training ended. The first four are what its rules wish for.
enum class StopReason {
    iteration_limit,
    time_limit,
    bound_stalling,
    gap,
    cancelled,   ///< an observer asked for it
    infeasible,  ///< a stage LP has no solution
    numerical    ///< a solver found none, without showing that there is none
};

std::string_view to_string(StopReason reason);

/// Where in an iteration, or outside of all.
enum class Phase { forward, backward, lower_bound, policy_cost, simulation };

std::string_view to_string(Phase phase);

/// A stage LP without an answer. Training ends with what was done before it.
struct Failure {
    Phase phase = Phase::forward;
    int iteration = 0;
    int stage = 0;     ///< index
    int scenario = 0;  ///< trajectory, trial point or path
    int opening = -1;
    lp::Status status = lp::Status::infeasible;
    std::vector<std::string> conflicting_rows;  ///< an irreducible set of rows and bounds, by name
    std::string mps;                            ///< the LP as a free-format MPS file
};

/// What training found, alike on every rank but for times.
struct TrainResult {
    Policy policy;
    std::vector<IterationReport> iterations;  ///< of this training
    std::vector<double> earlier_bounds;       ///< [$], of the iterations before them
    StopReason stop = StopReason::iteration_limit;
    std::optional<Failure> failure;
    std::vector<StageScaling> scaling;  ///< [stages]
    /// [stages] where these go in a circle: the bound of a study that begins with the stage, at the
    /// initial state [$]. Else empty.
    std::vector<double> season_bounds;
    double lower_bound = 0;  ///< [$], of the last iteration; a bound if has_valid_bound()
    double upper_bound = 0;  ///< [$], mean cost of the last iteration's trajectories
    /// Bounds of each iteration and all cuts.
    Digest digest{};
    double seconds = 0;
    /// The bound stands still and the costs of the latest trajectories do not contradict it
    /// (docs/sddp-theory.md, section 6). A run that ends by bound_stalling need not have converged.
    bool has_converged = false;

    /// Iterations, those before this training included.
    [[nodiscard]] int completed() const noexcept {
        return static_cast<int>(earlier_bounds.size() + iterations.size());
    }
};

/// A policy that training begins with instead of nothing.
struct EarlierTraining {
    Policy policy;  ///< without stages: none
    /// Of the iterations that made it [$], to go on counting from them; none: iterations are
    /// numbered from 1, and what these draw is drawn again.
    std::vector<double> lower_bounds;
};

/// What train() looks at before it begins.
/// @throws InputError  options do not fit the problem
void require_fit(const Problem& problem, const TrainOptions& options);

/// Trains a policy by stochastic dual dynamic programming.
///
/// Collective: every rank calls it with equal arguments. The result is the same bits for any number
/// of ranks and threads. When a rank is lost and team.survival lets the others go on, they do the
/// interrupted iteration again.
/// @param resume_from  instead of from the beginning; of the same problem and options (the stopping
///                     rules and checkpoints may differ)
/// @param earlier  cuts to begin with; not looked at where there is a state. Where as many
///                 iterations as allowed are done, they are the result
/// @throws InputError  options do not fit the problem, or the state does not, or the cuts do not
/// @par Source  [PereiraPinto1991], [PhilpottGuan2008]; CVaR as in [Shapiro2011]
TrainResult train(const Problem& problem,
                  const TrainOptions& options,
                  runtime::Team& team,
                  Observer& observer,
                  const runtime::EngineState* resume_from = nullptr,
                  EarlierTraining earlier = {});

/// What a simulation found, alike on every rank but for times.
struct SimulateResult {
    std::vector<double> total_cost;       ///< [scenarios], [$]
    std::vector<double> probability;      ///< [scenarios] where paths were enumerated, else empty
    std::vector<std::vector<int>> nodes;  ///< [scenarios][stages]; empty where the graph is a chain
    bool cancelled = false;               ///< only the first total_cost.size() scenarios were run
    std::optional<Failure> failure;
    PhaseReport work;
    std::vector<PhaseReport> scenario_work;  ///< [scenarios run], equal on all ranks but for times
    double mean = 0;
    double std = 0;  ///< sample standard deviation
    double half_width_95 = 0;
    /// Costs and states of all scenarios.
    Digest digest{};
    double seconds = 0;
};

/// Runs trajectories under a policy. Results go to the observer scenario by scenario, memory is
/// bounded. Collective; the same bits for any number of ranks and threads, also where a rank is
/// lost.
/// @throws InputError  options are not allowed, or the policy is of another problem
SimulateResult simulate(const Problem& problem,
                        Policy policy,
                        const SimulateOptions& options,
                        runtime::Team& team,
                        Observer& observer);

/// What Cobre's objective (which credits non-controllable energy instead of charging its
/// curtailment) lacks against ours: Σ discounted cost·availability, expected over the openings [$].
/// Adding it to a bound of Cobre's gives ours wherever Cobre's θ >= 0 does not bind; exact for
/// risk-neutral problems and for known availability.
double curtailment_constant(const Problem& problem);

}  // namespace lockstep::sddp
