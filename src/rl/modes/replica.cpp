#include "rl/modes/replica.hpp"

#include <algorithm>

namespace lockstep::rl {

Replica::Replica(const TableStore& table, const Ages& ages)
    : ages_(ages),
      values_(table.values().begin(), table.values().end()),
      visits_(table.visits().size()),
      touched_((static_cast<std::size_t>(table.states()) + 63) / 64),
      plane_(static_cast<std::ptrdiff_t>(table.pairs())) {
    std::transform(
        table.visits().begin(), table.visits().end(), visits_.begin(), [&](std::uint32_t visits) {
            return ages_.of(visits);
        });
}

void Replica::refresh(std::span<const std::uint32_t> cells, const Cells& original) noexcept {
    for (const std::uint32_t cell : cells) {
        values_[cell] = original.values[cell];
        visits_[cell] = ages_.of(original.visits[cell]);
    }
}

void Replica::add(const Delta& changes, const TableShape& shape) noexcept {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const std::uint32_t cell = changes.cells[i];
        values_[cell] += changes.changes[i];
        visits_[cell] = add_visits(visits_[cell], changes.visits[i]);
        touch<Access::tracked>(cells(), shape.state_of(cell));
    }
}

void Replica::take_delta(const Cells& original, const TableShape& shape, Delta& delta) {
    delta.clear();
    for_each_touched_cell(touched_, shape, [&](std::uint32_t cell) {
        const double value = original.values[cell];
        const std::uint32_t visits = ages_.of(original.visits[cell]);
        if (values_[cell] != value || visits_[cell] != visits) {
            delta.add(cell, values_[cell] - value, visits_[cell] - visits);
            values_[cell] = value;
            visits_[cell] = visits;
        }
    });
    std::fill(touched_.begin(), touched_.end(), 0);
}

}  // namespace lockstep::rl
