#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/work_partition.hpp"

#include "sddp/passes/engine.hpp"
#include "sddp/passes/runs/basis_bytes.hpp"

namespace lockstep::sddp {

/// Trial points of an iteration, a level a stage: where the forward pass has been, from where the
/// backward pass makes cuts.
///
/// Sampled: each trajectory passes through every level; states and costs exist for those of this
/// rank's share. Enumerated: a level has the nodes of its stage, and all ranks know all states and
/// costs. Points are numbered over all ranks. Bases are known to all ranks; those from which an
/// iteration starts stay until commit(), so that it can be done again.
class Trajectories {
public:
    /// @param trajectories  how many are sampled; 0: the tree is enumerated
    Trajectories(const Engine& engine, int trajectories);

    [[nodiscard]] bool is_enumerated() const noexcept { return total_ == 0; }
    /// Points of a level, all ranks' together.
    [[nodiscard]] int total(int stage) const noexcept {
        return is_enumerated() ? graph_.width(stage) : total_;
    }
    /// This rank's.
    [[nodiscard]] runtime::BlockRange own(int stage) const noexcept { return own_[at(stage)]; }
    [[nodiscard]] const runtime::WorkPartition& partition(int stage) const noexcept {
        return partition_[at(stage)];
    }

    /// Which nodes the trajectories of an iteration pass through; equal on all ranks.
    void choose_nodes(const Model& model, int iteration);
    [[nodiscard]] int node(int stage, std::ptrdiff_t point) const noexcept {
        return is_enumerated() ? graph_.first(stage) + static_cast<int>(point)
                               : nodes_[index(stage, point)];
    }

    /// State before a stage, from the one in which the trajectory left the stage before: where
    /// stages go in a circle it enters that in the state in which it ended the iteration before.
    /// Every so many iterations it begins anew.
    [[nodiscard]] std::span<const double> enter(int stage,
                                                int iteration,
                                                std::ptrdiff_t trajectory,
                                                std::span<const double> left) const noexcept;
    /// Where trajectories ended becomes known to all ranks. Collective.
    void share_ends(comm::Communicator& ranks);
    /// [trajectories × state size] where stages go in a circle, equal on all ranks; else empty.
    [[nodiscard]] std::vector<double>& cycle_starts() noexcept { return cycle_starts_; }

    /// State after a point, [state size].
    std::span<double> state(int stage, std::ptrdiff_t point) noexcept {
        const auto slot = at(point - (is_enumerated() ? 0 : own(stage).begin));
        return {states_[at(stage)].data() + slot * state_size_, state_size_};
    }
    /// States of all points of a level. @pre is_enumerated()
    std::span<double> states(int stage) noexcept { return states_[at(stage)]; }
    /// Of a trajectory; enumerated: of a node, undiscounted.
    double& cost(std::ptrdiff_t number) noexcept {
        return costs_[at(number - (is_enumerated() ? 0 : own(0).begin))];
    }
    [[nodiscard]] std::span<double> costs() noexcept { return costs_; }

    // Bases that an iteration starts from: of each node one for each trajectory; enumerated: one.
    [[nodiscard]] int starts_a_node() const noexcept { return is_enumerated() ? 1 : total_; }
    StoredBasis& start(int node, std::ptrdiff_t number) noexcept {
        return starts_[at(node) * at(starts_a_node()) + at(number)];
    }
    /// Where the forward pass starts from at a point.
    StoredBasis& start_of(int stage, std::ptrdiff_t point) noexcept {
        return start(node(stage, point), is_enumerated() ? 0 : point);
    }
    /// What the forward pass of this iteration ended with.
    StoredBasis& found(int stage, std::ptrdiff_t point) noexcept {
        return found_[index(stage, point)];
    }
    /// Where to start at a node that follows a point of the level before.
    const StoredBasis& start_after(int node, std::ptrdiff_t point) noexcept;
    /// Bases of this level, or of all where trajectories are sampled, on every rank. Collective.
    void share_found(comm::Communicator& ranks, int stage);
    /// The next iteration starts from what this one found.
    void commit() noexcept;

    /// States after all points of a level in order, [points × state size]. Collective.
    std::vector<double> gather_states(comm::Communicator& ranks, int stage) const;
    /// Costs of all trajectories in order. Collective.
    std::vector<double> gather_costs(comm::Communicator& ranks) const;

    /// Splits anew over the ranks there are; states and costs are forgotten.
    void repartition(const comm::Communicator& ranks);
    /// Learns what the ranks took, [s] by rank, and partitions anew where that pays.
    void learn(std::span<const double> seconds, int rank);

private:
    [[nodiscard]] std::size_t index(int stage, std::ptrdiff_t point) const noexcept {
        return first_[at(stage)] + at(point);
    }
    void resize(int rank);

    const Graph& graph_;
    int total_;
    std::size_t state_size_;
    std::vector<std::size_t> first_;  // [stages + 1], number of a level's first point
    std::vector<runtime::WorkPartition> partition_;  // [stages]
    std::vector<runtime::BlockRange> own_;           // [stages]
    std::vector<int> nodes_;                         // [points], where sampled
    std::vector<std::vector<double>> states_;        // [stages]
    std::vector<double> costs_;
    std::vector<double> cycle_starts_;
    std::vector<double> cycle_ends_;
    int passages_ = 1;                 // until a trajectory begins anew
    std::vector<StoredBasis> starts_;  // [nodes × starts a node]
    std::vector<StoredBasis> found_;   // [points]
};

}  // namespace lockstep::sddp
