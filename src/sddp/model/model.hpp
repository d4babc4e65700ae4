#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/policy.hpp"
#include "lockstep/sddp/stage_result.hpp"

#include "sddp/model/graph.hpp"
#include "sddp/model/outcome.hpp"
#include "sddp/model/stage_lp.hpp"

namespace lockstep::sddp {

class StageSolver;

/// Whose trajectories noise is drawn for.
enum class Purpose { training, simulation };

/// A multistage problem as the passes see it: a graph of nodes, the LP of each, what moves its
/// right-hand sides, and how states pass from node to node.
///
/// A state has decided numbers, which LPs have columns for, and carried ones, which follow from the
/// carried state before and from the outcome alone: the fresh ones are the first that the outcome
/// draws, the older ones do not depend on it. So all that cuts say about carried states is a number
/// by the time that an LP is solved.
///
/// Only place() changes a model; everything else may be called from several threads.
class Model {
public:
    virtual ~Model() = default;

    [[nodiscard]] virtual const Graph& graph() const = 0;
    /// Nodes of a stage may share one.
    [[nodiscard]] virtual const StageLp& lp(int node) const = 0;
    [[nodiscard]] virtual StateLayout states() const = 0;
    /// Before the root, [states].
    [[nodiscard]] virtual std::vector<double> initial_state() const = 0;
    /// Cuts after the leaves, where the end of the horizon has a price; may be none.
    [[nodiscard]] virtual const StageCuts& boundary() const = 0;
    /// Whether cuts after the node may have a slope by the state.
    [[nodiscard]] virtual bool is_in_cuts(int node, int state) const = 0;

    /// Equally likely outcomes of a node, of which cuts are made.
    [[nodiscard]] virtual int outcomes(int node) const = 0;
    /// Their numbers in an order in which neighbours have similar right-hand sides.
    [[nodiscard]] virtual std::vector<int> outcome_path(int node) const = 0;
    /// Probabilities of the outcomes of all that may follow a node, in the order of its arcs.
    [[nodiscard]] std::vector<double> probabilities_after(int node) const;
    [[nodiscard]] virtual int noise_size() const = 0;
    [[nodiscard]] virtual std::span<const double> noise(int node, int outcome) const = 0;
    /// Noise of a trajectory, [noise size]: TrajectorySampler::draw.
    virtual void draw(Purpose purpose,
                      int iteration,
                      int scenario,
                      int scenarios,
                      int node,
                      std::span<double> noise) const = 0;
    /// Node to which a trajectory goes on. Iterations and scenarios as in draw().
    /// @pre the node is no leaf
    [[nodiscard]] virtual int next_node(int iteration, int scenario, int node) const = 0;
    /// How the costs of what may follow a node are weighed.
    [[nodiscard]] virtual const RiskMeasure& risk_after(int node) const = 0;
    /// The same for the outcomes of the root.
    [[nodiscard]] virtual const RiskMeasure& risk_at_root() const = 0;

    [[nodiscard]] virtual std::unique_ptr<Outcome> make_outcome() const = 0;
    /// Allocates only when `out` is smaller than needed.
    /// @param carried  before the node
    /// @param out      of make_outcome()
    virtual void realise(int node,
                         std::span<const double> carried,
                         std::span<const double> noise,
                         Outcome& out) const = 0;

    /// The older states after a node. The spans must not overlap.
    /// @param carried  before the node
    virtual void carry(int node,
                       std::span<const double> carried,
                       std::span<double> older) const = 0;
    /// Slopes by the carried state before a node: the transpose of what realise() does to `drawn`,
    /// as if nothing were truncated, and of carry().
    virtual void carry_back(int node,
                            std::span<const double> by_drawn,
                            std::span<const double> by_older,
                            std::span<double> by_carried) const = 0;

    /// Whether what is drawn is an affine function of the carried state, so that costs to go are
    /// convex and cuts bound them.
    [[nodiscard]] virtual bool is_convex() const = 0;
    /// Whether it is none and bounding cuts have to be made beside.
    [[nodiscard]] virtual bool bounds_apart() const = 0;
    /// Replaces what is drawn by an affine function of the carried state, of which `by_drawn` times
    /// it is nowhere above: its slopes take the place of `by_drawn`.
    /// @return  what that adds at the carried state of the outcome
    /// @pre bounds_apart()
    virtual double support(int node, const Outcome& outcome, std::span<double> by_drawn) const = 0;

    /// What a solved node tells.
    /// @param discount  cumulative discount factor of its stage
    [[nodiscard]] virtual StageResult record(int node,
                                             const StageSolver& solver,
                                             std::span<const double> state,
                                             const Outcome& outcome,
                                             double discount) const = 0;
    /// Names of the columns and rows of a node's LP.
    [[nodiscard]] virtual std::vector<std::string> column_names(int node) const = 0;
    [[nodiscard]] virtual std::vector<std::string> row_names(int node) const = 0;

    /// Moves tables to memory that the ranks of a machine hold once, where they can.
    /// @return bytes that this rank reads but does not hold
    /// Collective over the ranks of a machine.
    virtual std::int64_t place(std::shared_ptr<comm::Communicator> machine) = 0;
};

}  // namespace lockstep::sddp
