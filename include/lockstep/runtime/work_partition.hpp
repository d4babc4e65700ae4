#pragma once

#include <span>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {

/// Which rank runs which items of work: consecutive blocks, at first of equal size, then by
/// measured speed. Equal on all ranks. Never changes a result.
class WorkPartition {
public:
    WorkPartition(int items, int ranks);

    [[nodiscard]] BlockRange of(int rank) const;
    /// `width` elements an item, one block a rank.
    [[nodiscard]] comm::Layout layout(std::int64_t width) const;

    /// Learns what the ranks took for their parts, [s] by rank, and partitions anew where that
    /// pays.
    /// @return whether the parts have changed
    bool learn(std::span<const double> seconds);

private:
    std::vector<std::int64_t> counts_;
    std::vector<double> speed_;  // items a second, smoothed; 0: not known
};

/// Splits `items` in proportion to `weights` by largest remainders, at least one item each where
/// there are enough. Ties go to the lower index.
std::vector<std::int64_t> largest_remainders(std::int64_t items, std::span<const double> weights);

}  // namespace lockstep::runtime
