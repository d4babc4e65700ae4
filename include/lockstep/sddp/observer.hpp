#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "lockstep/runtime/engine_state.hpp"
#include "lockstep/runtime/rank_report.hpp"
#include "lockstep/sddp/stage_result.hpp"
#include "lockstep/sddp/work.hpp"

namespace lockstep::sddp {

/// What one rank did in an iteration. The memory that it borrows holds cuts and stage LPs.
struct RankReport : runtime::RankReport {
    std::int64_t solves = 0;
    std::int64_t trajectories = 0;
    double forward_seconds = 0;  ///< wall time of the phases
    double backward_seconds = 0;
    double bound_seconds = 0;
};

/// What was selected of the cuts after a node (CutSelection).
struct SelectionReport {
    std::int32_t node = 0;
    std::int32_t cuts = 0;        ///< there are
    std::int32_t before = 0;      ///< that were selected
    std::int32_t deselected = 0;  ///< by the method
    std::int32_t reselected = 0;  ///< cuts that were not
    std::int32_t evicted = 0;     ///< for most_selected
    double seconds = 0;           ///< on the rank that looked, the method's
    [[nodiscard]] std::int32_t after() const noexcept {
        return before - deselected + reselected - evicted;
    }
};

/// One iteration of training. Bounds and counts are equal on every rank; times are this rank's.
struct IterationReport {
    int iteration = 0;           ///< from 1
    double lower_bound = 0;      ///< [$]
    double upper_bound = 0;      ///< mean cost of this iteration's trajectories [$]
    double upper_bound_std = 0;  ///< sample standard deviation, 0 for one trajectory
    double half_width_95 = 0;    ///< 1.96·std/√trajectories
    /// The upper bound is the cost of the policy, not the mean of a sample: the tree was
    /// enumerated.
    bool is_upper_bound_exact = false;
    double gap = 0;                ///< (upper - lower)/max(1, |lower|)
    int cuts_added = 0;            ///< over all stages
    std::int64_t cuts_active = 0;  ///< that are selected
    /// The lowest upper bound from within so far [$], infinity where there is none.
    double inner_bound = std::numeric_limits<double>::infinity();
    /// The last estimate of the policy's cost under its risk measures [$], infinity where there is
    /// none.
    double policy_cost = std::numeric_limits<double>::infinity();
    double policy_cost_half_width_95 = 0;
    double mean_cuts_in_lp = 0;  ///< resident cut rows of a backward solve
    PhaseReport forward;
    PhaseReport backward;
    PhaseReport bound;
    double inner_seconds = 0;                ///< wall time of the bound from within
    double policy_cost_seconds = 0;          ///< and of the estimate; 0: none in this iteration
    std::vector<SelectionReport> selection;  ///< nodes among whose cuts was selected
    WorkTable work;                          ///< forward and backward by stage and opening
    double wall_seconds = 0;                 ///< of the iteration
    double elapsed_seconds = 0;              ///< since training began
    std::vector<RankReport> ranks;
};

/// Receives what an engine has to tell. The base class ignores everything.
///
/// Called on every rank, from the thread that called the engine, outside parallel regions.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_iteration(const IterationReport&) {}
    /// The state to keep, as TrainOptions asks. Valid during the call. Collective: may exchange.
    virtual void on_checkpoint(const runtime::EngineState&) {}
    /// Results of one scenario, in ascending order of scenario; each scenario on one rank only.
    virtual void on_scenario(const ScenarioResult&) {}
    /// Progress of a simulation: `done` of `total` scenarios are complete on all ranks.
    virtual void on_simulation_progress(int /*done*/, int /*total*/) {}
    /// Asked between iterations and between batches; true on any rank ends the work on all of them.
    virtual bool stop_requested() { return false; }
};

}  // namespace lockstep::sddp
