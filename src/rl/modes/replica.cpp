#include "rl/modes/replica.hpp"

#include <algorithm>

namespace lockstep::rl {

Replica::Replica(const TableStore& table, const Ages& ages)
    : ages_(ages),
      store_(table.store()),
      touched_((static_cast<std::size_t>(table.states()) + 63) / 64) {
    for (std::uint32_t& visits : store_.visits()) {
        visits = ages_.of(visits);
    }
}

void Replica::refresh(std::span<const std::uint32_t> cells, const Cells& original) noexcept {
    on_both(original, [&](const auto& from, const auto& own) {
        for (const std::uint32_t cell : cells) {
            own.values[cell] = from.values[cell];
            own.visits[cell] = ages_.of(from.visits[cell]);
        }
    });
}

void Replica::add(const Delta& changes, const TableShape& shape) noexcept {
    std::visit(
        [&](const auto& own) {
            for (std::size_t i = 0; i < changes.size(); ++i) {
                const std::uint32_t cell = changes.cells[i];
                const double value = value_at<Access::own>(own, cell);
                set_value<Access::own>(own, cell, value + changes.changes[i]);
                own.visits[cell] = add_visits(own.visits[cell], changes.visits[i]);
                touch<Access::tracked>(own, shape.state_of(cell));
            }
        },
        cells());
}

void Replica::take_delta(const Cells& original, const TableShape& shape, Delta& delta) {
    delta.clear();
    on_both(original, [&]<typename V>(const CellsOf<V>& from, const CellsOf<V>& own) {
        for_each_touched_cell(touched_, shape, [&](std::uint32_t cell) {
            const V value = from.values[cell];
            const std::uint32_t visits = ages_.of(from.visits[cell]);
            if (own.values[cell] != value || own.visits[cell] != visits) {
                const V change = own.values[cell] - value;
                delta.add(cell, double{change}, own.visits[cell] - visits);
                own.values[cell] = value;
                own.visits[cell] = visits;
            }
        });
    });
    std::fill(touched_.begin(), touched_.end(), 0);
}

}  // namespace lockstep::rl
