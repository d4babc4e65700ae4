#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/exchange/ages.hpp"
#include "rl/exchange/delta.hpp"
#include "rl/exchange/retention.hpp"
#include "rl/learn/cell_store.hpp"

namespace lockstep::rl {

/// Makes one table of what workers learned from the same start: equations (29) to (31) of
/// docs/rl-theory.md. The result depends on the workers'
/// numbers, not on who computes it.
///
/// A cell that no worker changed stays; visits add up.
class Combiner {
public:
    /// Ranges of cells that do not depend on the number of threads or ranks.
    static constexpr std::ptrdiff_t cell_parts = 64;

    Combiner(Combine rule, const StepSize& step_size, int workers);

    /// Applies the changes of all workers, on all threads.
    /// @param deltas  [workers], by number; nullptr: has changed nothing
    /// @param table  what all workers started from; becomes the combined one
    /// @param cells  of the table
    void apply(std::span<const Delta* const> deltas,
               const Cells& table,
               std::size_t cells,
               runtime::ThreadTeam& threads) const;

    /// What apply() would make of the table, which stays.
    /// @param parts  become lists of cells that differ between lists, [cell_parts]
    void prepare(std::span<const Delta* const> deltas,
                 const Cells& table,
                 std::size_t cells,
                 runtime::ThreadTeam& threads,
                 std::vector<CellList>& parts) const;

    /// The same where the table has moved on meanwhile: equation (33).
    /// @param moved  what it has changed since the workers started; becomes what this changes
    void apply(std::span<const Delta* const> deltas,
               const Cells& table,
               std::size_t cells,
               runtime::ThreadTeam& threads,
               Delta& moved) const;

private:
    struct Change {
        double change;
        std::uint32_t visits;
    };
    struct Range {
        std::uint32_t begin;
        std::uint32_t end;
    };
    /// A cell as it is to be.
    struct Cell {
        std::uint32_t number;
        double value;
        std::uint32_t visits;
    };
    static Range range_at(std::size_t cells, std::ptrdiff_t part) noexcept;
    template <typename Put>
    void for_each_part(std::span<const Delta* const> deltas,
                       const Cells& table,
                       std::size_t cells,
                       const Delta& since,
                       runtime::ThreadTeam& threads,
                       const Put& put) const;
    template <typename V, typename Put>
    void for_each_changed(std::span<const Delta* const> deltas,
                          const Range& range,
                          const CellsOf<V>& table,
                          const Delta& since,
                          const Put& put) const;
    [[nodiscard]] double left(std::uint32_t age, std::uint32_t visits) const;
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
