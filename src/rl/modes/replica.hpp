#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rl/exchange/delta.hpp"
#include "rl/learn/table_store.hpp"

namespace lockstep::rl {

/// A thread's copy of the table, on which one worker after the other plays a round.
class Replica {
public:
    explicit Replica(const TableStore& table)
        : values_(table.values().begin(), table.values().end()),
          visits_(table.visits().begin(), table.visits().end()),
          touched_((static_cast<std::size_t>(table.states()) + 63) / 64),
          plane_(static_cast<std::ptrdiff_t>(table.pairs())) {}

    [[nodiscard]] Cells cells() noexcept {
        return {values_.data(), visits_.data(), touched_.data(), plane_};
    }

    /// Copies cells that have changed in the original.
    void refresh(std::span<const std::uint32_t> cells, const Cells& original) noexcept {
        for (const std::uint32_t cell : cells) {
            values_[cell] = original.values[cell];
            visits_[cell] = original.visits[cell];
        }
    }

private:
    std::vector<double> values_;
    std::vector<std::uint32_t> visits_;
    std::vector<std::uint64_t> touched_;
    std::ptrdiff_t plane_;
};

}  // namespace lockstep::rl
