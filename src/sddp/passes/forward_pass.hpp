#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/work_partition.hpp"

#include "sddp/passes/basis_bytes.hpp"
#include "sddp/passes/engine.hpp"

namespace lockstep::sddp {

/// Trajectories of an iteration: states and costs of this rank's, bases of all.
///
/// Trajectories are numbered over all ranks; states and costs exist for those of this rank's share.
/// The bases from which an iteration starts stay until commit(), so that it can be done again.
class Trajectories {
public:
    Trajectories(const Engine& engine, int trajectories);

    [[nodiscard]] int total() const noexcept { return total_; }
    [[nodiscard]] std::ptrdiff_t first() const noexcept { return block_.begin; }
    [[nodiscard]] std::ptrdiff_t count() const noexcept { return block_.size(); }
    [[nodiscard]] const runtime::WorkPartition& partition() const noexcept { return partition_; }

    /// State after a stage, [state size].
    std::span<double> state(int stage, std::ptrdiff_t trajectory) noexcept {
        const auto slot = static_cast<std::size_t>(stage) * static_cast<std::size_t>(count()) +
                          static_cast<std::size_t>(trajectory - first());
        return {states_.data() + slot * state_size_, state_size_};
    }
    double& cost(std::ptrdiff_t trajectory) noexcept { return costs_[at(trajectory - first())]; }

    /// Where the forward pass starts from.
    StoredBasis& start(int stage, std::ptrdiff_t trajectory) noexcept {
        return starts_[index(stage, trajectory)];
    }
    /// What the forward pass of this iteration ended with.
    StoredBasis& found(int stage, std::ptrdiff_t trajectory) noexcept {
        return found_[index(stage, trajectory)];
    }
    /// Bases of all trajectories on every rank. Collective.
    void share_found(comm::Communicator& ranks) {
        gather_bases(ranks, partition_.layout(1), found_);
    }
    /// The next iteration starts from what this one found.
    void commit() noexcept { starts_.swap(found_); }

    /// Costs of all trajectories in order. Collective.
    std::vector<double> gather_costs(comm::Communicator& ranks) const;

    /// Another partition; states and costs are forgotten.
    void repartition(runtime::WorkPartition partition, int rank);

private:
    [[nodiscard]] std::size_t index(int stage, std::ptrdiff_t trajectory) const noexcept {
        return static_cast<std::size_t>(stage) * static_cast<std::size_t>(total_) +
               static_cast<std::size_t>(trajectory);
    }
    int total_;
    std::size_t stages_;
    std::size_t state_size_;
    runtime::WorkPartition partition_;
    runtime::BlockRange block_;
    std::vector<double> states_;
    std::vector<double> costs_;
    std::vector<StoredBasis> starts_;  // [stages × total]
    std::vector<StoredBasis> found_;   // [stages × total]
};

/// Runs all trajectories of an iteration; fills states, costs and bases. Collective.
///
/// A unit is a stage of a trajectory; it starts from the basis that the same unit left in the
/// iteration before.
std::optional<Failure> forward_pass(Engine& engine, int iteration, Trajectories& trajectories);

}  // namespace lockstep::sddp
