#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rl/exchange/ages.hpp"
#include "rl/exchange/delta.hpp"
#include "rl/learn/table_store.hpp"

namespace lockstep::rl {

/// A thread's copy of the table, on which one worker after the other plays a round. Its visits are
/// those by which step sizes go.
class Replica {
public:
    Replica(const TableStore& table, const Ages& ages);

    [[nodiscard]] Cells cells() noexcept { return store_.cells(touched_.data()); }

    /// Copies cells that have changed in the original.
    void refresh(std::span<const std::uint32_t> cells, const Cells& original) noexcept;

    /// Takes in changes of the one who plays next; they count as changed.
    void add(const Delta& changes, const TableShape& shape) noexcept;

    /// What has changed since it was a copy of the original, as wide as values are stored. It
    /// becomes one again.
    void take_delta(const Cells& original, const TableShape& shape, Delta& delta);

private:
    /// Calls use(the original, this): both are stored alike.
    template <typename Use>
    void on_both(const Cells& original, Use&& use) {
        std::visit(
            [&]<typename V>(const CellsOf<V>& own) { use(std::get<CellsOf<V>>(original), own); },
            cells());
    }

    Ages ages_;
    CellStore store_;
    std::vector<std::uint64_t> touched_;
};

}  // namespace lockstep::rl
