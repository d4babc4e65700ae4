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

    [[nodiscard]] Cells cells() noexcept {
        return {values_.data(), visits_.data(), touched_.data(), plane_};
    }

    /// Copies cells that have changed in the original.
    void refresh(std::span<const std::uint32_t> cells, const Cells& original) noexcept;

    /// Takes in changes of the one who plays next; they count as changed.
    void add(const Delta& changes, const TableShape& shape) noexcept;

    /// What has changed since it was a copy of the original. It becomes one again.
    void take_delta(const Cells& original, const TableShape& shape, Delta& delta);

private:
    Ages ages_;
    std::vector<double> values_;
    std::vector<std::uint32_t> visits_;
    std::vector<std::uint64_t> touched_;
    std::ptrdiff_t plane_;
};

}  // namespace lockstep::rl
