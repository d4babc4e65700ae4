#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/options.hpp"

#include "rl/exchange/ages.hpp"
#include "rl/exchange/delta.hpp"
#include "rl/exchange/retention.hpp"

namespace lockstep::rl {

/// Makes one table of what workers learned from the same start: equations (29) to (31) of
/// docs/rl-theory.md. The result depends on the workers'
/// numbers, not on who computes it.
///
/// A cell that no worker changed stays; visits add up.
class Combiner {
public:
    Combiner(Combine rule, const StepSize& step_size, int workers);

    /// Applies the changes in [begin, end) of the cells. Ranges may be combined at the same time.
    /// @param deltas  [workers], by number; nullptr: has changed nothing
    /// @param table  what all workers started from; becomes the combined one
    void apply(std::span<const Delta* const> deltas,
               std::uint32_t begin,
               std::uint32_t end,
               const Cells& table) const;

private:
    struct Change {
        double change;
        std::uint32_t visits;
    };
    [[nodiscard]] double combined(std::span<const Change> changes,
                                  std::size_t workers,
                                  std::uint32_t age) const;
    [[nodiscard]] double weighted(std::span<const Change> changes,
                                  std::size_t workers,
                                  std::uint32_t age) const;
    [[nodiscard]] double composed(std::span<const Change> changes, std::uint32_t age) const;

    Combine rule_;
    Ages ages_;
    Retention retention_;
};

}  // namespace lockstep::rl
