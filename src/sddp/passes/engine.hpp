#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/sddp/train.hpp"

#include "sddp/cuts/activity.hpp"
#include "sddp/cuts/cut_memory.hpp"
#include "sddp/cuts/cut_pool.hpp"
#include "sddp/passes/failure.hpp"
#include "sddp/passes/work_tally.hpp"
#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

/// What a thread works with.
struct Worker {
    Worker(int the_thread,
           const Problem& problem,
           const std::vector<StageProblem>& stages,
           const SolverSetup& setup);
    int thread = 0;
    StageSolver solver;
    Realisation realisation;
    std::vector<double> noise;   ///< [dimension]
    std::vector<double> weight;  ///< [openings]
};

/// What the passes of a run share: stage LPs, cuts, working sets, this rank's threads.
///
/// Pools and working sets change only between parallel regions and alike on all ranks.
class Engine {
public:
    Engine(const Problem& problem, const SolverSetup& setup, runtime::Team& team);

    const Problem& problem;
    SolverSetup setup;
    runtime::Team& team;
    std::vector<StageProblem> stages;
    std::vector<CutPool> pools;  ///< [stages], cuts after each stage
    /// [stages], where bounds_apart(): the same cuts, numbered alike, with slopes by the lags and
    /// intercepts that stay below the cost (docs/sddp-theory.md, section 3). Else empty.
    std::vector<CutPool> bounding_pools;
    CutMemory cut_memory;                          ///< of the pools
    std::vector<std::vector<int>> working_sets;    ///< [stages], ascending
    std::vector<std::vector<int>> opening_orders;  ///< [stages]
    Activity activity;  ///< of the pools' cuts, in the iteration under way
    WorkTally tally;    ///< of the passes, by place
    runtime::PerThread<Worker> workers;

    [[nodiscard]] int stage_count() const noexcept { return static_cast<int>(stages.size()); }
    [[nodiscard]] std::size_t state_size() const noexcept {
        return static_cast<std::size_t>(problem.state_size());
    }
    /// States that the stage LPs have columns for, the first ones; the others are lags.
    [[nodiscard]] std::size_t storages() const noexcept {
        return static_cast<std::size_t>(problem.hydro_count());
    }
    /// Slopes of a cut by the lags.
    [[nodiscard]] std::size_t lag_slopes() const noexcept { return state_size() - storages(); }
    /// Whether truncated inflows keep cuts from being bounds, and bounding ones are made beside.
    [[nodiscard]] bool bounds_apart() const noexcept { return !inflow_means_.empty(); }
    /// A unit of the lower bound.
    [[nodiscard]] UnitStart bounding_unit(int stage,
                                          const StoredBasis* basis,
                                          std::span<const double> incoming_state) const;
    /// Pools that cuts may be added to: none after the last stage.
    [[nodiscard]] std::span<CutPool> growing_pools() noexcept {
        return std::span(pools).first(pools.size() - 1);
    }
    [[nodiscard]] UnitStart unit(int stage,
                                 const StoredBasis* basis,
                                 std::span<const double> incoming_state) const;

    /// The state before the first stage: initial storages and lags.
    [[nodiscard]] const std::vector<double>& initial_state() const noexcept {
        return initial_state_;
    }

    /// Outcomes of a stage that cuts are made of.
    [[nodiscard]] int openings(int stage) const noexcept {
        return problem.process.tree.count[at(stage)];
    }
    [[nodiscard]] std::span<const double> opening_noise(int stage, int opening) const noexcept {
        return problem.process.tree.noise(stage, opening);
    }
    /// How costs of the outcomes of a stage are weighed: by the stage before it, of the first by
    /// its own.
    [[nodiscard]] const RiskMeasure& risk(int stage) const noexcept {
        return problem.calendar.stages[at(std::max(stage - 1, 0))].risk;
    }
    /// Solves the stage whose unit the worker has begun, at a state and for the noise of an
    /// outcome.
    lp::Status solve(Worker& worker,
                     int stage,
                     std::span<const double> incoming,
                     std::span<const double> noise) const;
    /// The state after a stage that was solved from `incoming`.
    void leave(Worker& worker, std::span<const double> incoming, std::span<double> outgoing) const;

    /// Runs body(item, worker) for this rank's items; the failure of the lowest item of all ranks,
    /// if any.
    /// @param first  number of this rank's first item over all ranks
    /// Collective.
    std::optional<Failure> run(
        std::ptrdiff_t first,
        std::ptrdiff_t count,
        const std::function<void(std::ptrdiff_t item, Worker& worker)>& body);

    /// Cuts of a stage that supported an optimum in `iteration` or the one before, or were made in
    /// it.
    void refresh_working_set(int stage, int iteration);

    /// Bases of one trajectory through the calmest openings, solved one after the other: a start
    /// for work that has no basis of its own yet. Equal on all ranks.
    std::vector<StoredBasis> pilot_bases();

    enum class Cuts { stay, move };
    /// Keeps stage LPs and, if they are to move, cuts once per node from now on. Again after a
    /// loss.
    /// @param more_cuts  room for so many in each pool
    /// Collective.
    void place(Cuts cuts, int more_cuts = 0);
    /// Bytes that this rank reads in memory of others.
    [[nodiscard]] std::int64_t borrowed_bytes() const noexcept {
        return cut_memory.borrowed_bytes() + borrowed_stages_;
    }

    /// Work since the last call, summed over this rank's threads.
    PhaseReport take_work();

private:
    std::vector<double> initial_state_;
    std::vector<std::vector<Interval>> inflow_means_;
    std::int64_t borrowed_stages_ = 0;
};

/// Sums the counts of each report over all ranks. Collective.
void exchange_counts(comm::Communicator& ranks, std::span<PhaseReport* const> reports);

}  // namespace lockstep::sddp
