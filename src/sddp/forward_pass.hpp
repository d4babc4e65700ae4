#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sddp/engine.hpp"

namespace lockstep::sddp {

/// States, costs and bases of this rank's trajectories of one iteration.
class Trajectories {
public:
    Trajectories(const Engine& engine, int trajectories);

    [[nodiscard]] std::ptrdiff_t first() const noexcept { return block_.begin; }
    [[nodiscard]] std::ptrdiff_t count() const noexcept { return block_.size(); }
    [[nodiscard]] int total() const noexcept { return total_; }

    /// State after a stage, [state size]. Items count from 0 on this rank.
    std::span<double> state(int stage, std::ptrdiff_t item) noexcept {
        return {states_.data() + index(stage, item) * state_size_, state_size_};
    }
    StoredBasis& basis(int stage, std::ptrdiff_t item) noexcept {
        return bases_[index(stage, item)];
    }
    double& cost(std::ptrdiff_t item) noexcept { return costs_[static_cast<std::size_t>(item)]; }

    /// Costs of all trajectories in order. Collective.
    std::vector<double> gather_costs(comm::Communicator& ranks) const;

private:
    [[nodiscard]] std::size_t index(int stage, std::ptrdiff_t item) const noexcept {
        return static_cast<std::size_t>(stage) * static_cast<std::size_t>(count()) +
               static_cast<std::size_t>(item);
    }
    int total_;
    runtime::BlockRange block_;
    std::size_t state_size_;
    std::vector<double> states_;
    std::vector<double> costs_;
    std::vector<StoredBasis> bases_;
};

/// Runs all trajectories of an iteration; fills states, costs and bases. Collective.
///
/// A unit is a stage of a trajectory; it starts from the basis that the same unit left in the
/// iteration before.
std::optional<Failure> forward_pass(Engine& engine, int iteration, Trajectories& trajectories);

}  // namespace lockstep::sddp
