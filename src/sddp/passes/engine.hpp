#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/sddp/train.hpp"

#include "sddp/cuts/activity.hpp"
#include "sddp/cuts/cut_memory.hpp"
#include "sddp/cuts/cut_pool.hpp"
#include "sddp/model/model.hpp"
#include "sddp/passes/failure.hpp"
#include "sddp/passes/work/work_tally.hpp"
#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

/// What a thread works with.
struct Worker {
    Worker(int the_thread, const Model& model, const SolverSetup& setup);
    int thread = 0;
    StageSolver solver;
    std::unique_ptr<Outcome> outcome;
    std::vector<double> noise;   ///< [noise size]
    std::vector<double> weight;  ///< [outcomes of all that may follow a node, at most]
};

/// What the passes of a run share: the model, cuts, working sets, this rank's threads.
///
/// Pools and working sets change only between parallel regions and alike on all ranks.
class Engine {
public:
    Engine(Model& model, const SolverSetup& setup, runtime::Team& team, bool keeps_states = false);

    Model& model;
    SolverSetup setup;
    runtime::Team& team;
    const StateLayout states;
    std::vector<CutPool>
        pools;  ///< [nodes], cuts after each node; leaves have those of the boundary
    /// [nodes], where the model makes bounds apart: the same cuts, numbered alike, with slopes by
    /// the carried states and intercepts that stay below the cost (docs/sddp-theory.md, section 3).
    /// Else empty.
    std::vector<CutPool> bounding_pools;
    /// [nodes], states that trajectories left each node with, kept as slopes of cuts are; empty
    /// where nothing asks for them.
    std::vector<CutPool> visited;
    /// [nodes][visited], what the cost to go there is at most [$]; infinity: not known. Empty where
    /// there is no bound from within.
    std::vector<std::vector<double>> inner_values;
    CutMemory cut_memory;  ///< of the pools
    CutMemory visited_memory;
    std::vector<std::vector<int>> working_sets;    ///< [nodes], ascending
    std::vector<std::vector<int>> opening_orders;  ///< [nodes]
    /// [nodes], of the outcomes of all that may follow, in the order of the arcs.
    std::vector<std::vector<double>> probabilities;
    Activity activity;  ///< of the pools' cuts, in the iteration under way
    WorkTally tally;    ///< of the passes, by place
    runtime::PerThread<Worker> workers;

    [[nodiscard]] const Graph& graph() const noexcept { return model.graph(); }
    [[nodiscard]] int stage_count() const noexcept { return graph().stages(); }
    [[nodiscard]] int node_count() const noexcept { return graph().nodes(); }
    [[nodiscard]] std::size_t state_size() const noexcept { return at(states.size()); }
    [[nodiscard]] std::size_t decided() const noexcept { return at(states.decided); }
    [[nodiscard]] std::size_t carried() const noexcept { return at(states.carried()); }
    [[nodiscard]] bool bounds_apart() const noexcept { return !bounding_pools.empty(); }
    [[nodiscard]] bool keeps_states() const noexcept { return !visited.empty(); }
    /// A unit of the lower bound.
    [[nodiscard]] UnitStart bounding_unit(int node,
                                          const StoredBasis* basis,
                                          std::span<const double> incoming_state) const;
    /// Pools that cuts may be added to: none after the last stage.
    [[nodiscard]] std::span<CutPool> growing_pools() noexcept {
        return std::span(pools).first(at(graph().first(graph().levels())));
    }
    [[nodiscard]] std::span<CutPool> growing_visited() noexcept {
        return std::span(visited).first(keeps_states() ? growing_pools().size() : 0);
    }
    [[nodiscard]] UnitStart unit(int node,
                                 const StoredBasis* basis,
                                 std::span<const double> incoming_state) const;
    /// The same in the forward pass.
    [[nodiscard]] UnitStart forward_unit(int node,
                                         const StoredBasis* basis,
                                         std::span<const double> incoming_state) const;

    /// Takes the cuts of a policy into the pools of all nodes but leaves. Lets each stage go as it
    /// is taken: where cuts are left out, or moved, not all are held twice.
    /// @throws InputError  it is of another problem
    void take(Policy& policy);
    /// The same for the bounding cuts of the cuts that were taken; a policy without them says
    /// nothing of the cost.
    void take_bounds(Policy& policy);

    /// The state before the first stage.
    [[nodiscard]] const std::vector<double>& initial_state() const noexcept {
        return initial_state_;
    }

    /// Solves the node whose unit the worker has begun, at a state and for the noise of an outcome.
    lp::Status solve(Worker& worker,
                     int node,
                     std::span<const double> incoming,
                     std::span<const double> noise) const;

    /// Cuts that a trial point after a node gives: one, or one of each outcome.
    [[nodiscard]] int cuts_a_point(int node) const noexcept {
        return std::max(static_cast<int>(model.lp(node).outcome_theta.size()), 1);
    }

    /// Runs body(item, worker) for this rank's items; the failure of the lowest item of all ranks,
    /// if any.
    /// @param first  number of this rank's first item over all ranks
    /// Collective.
    std::optional<Failure> run(
        std::ptrdiff_t first,
        std::ptrdiff_t count,
        const std::function<void(std::ptrdiff_t item, Worker& worker)>& body);

    /// Selected cuts after a node that supported an optimum in `iteration` or the one before, or
    /// were made in the seed window or the iteration.
    void refresh_working_set(int node, int iteration);

    /// Bases of the nodes, each at its calmest outcome after that of a node before it, solved one
    /// after the other: a start for work that has no basis of its own yet. Equal on all ranks.
    std::vector<StoredBasis> pilot_bases();

    enum class Cuts { stay, move };
    /// Keeps the model and, if they are to move, cuts once per node from now on. Again after a
    /// loss.
    /// @param more_cuts  room for so many in each pool
    /// Collective.
    void place(Cuts cuts, int more_cuts = 0);
    /// Bytes that this rank reads in memory of others.
    [[nodiscard]] std::int64_t borrowed_bytes() const noexcept {
        return cut_memory.borrowed_bytes() + visited_memory.borrowed_bytes() + borrowed_model_;
    }

    /// Work since the last call, summed over this rank's threads.
    PhaseReport take_work();

private:
    std::vector<double> initial_state_;
    std::int64_t borrowed_model_ = 0;
};

/// Sums the counts of each report over all ranks. Collective.
void exchange_counts(comm::Communicator& ranks, std::span<PhaseReport* const> reports);

}  // namespace lockstep::sddp
