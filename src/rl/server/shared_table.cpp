#include "rl/server/shared_table.hpp"

#include <algorithm>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/split_mix.hpp"

namespace lockstep::rl {
namespace {

std::uint32_t added(std::uint32_t visits, std::uint32_t more) noexcept {
    return visits > UINT32_MAX - more ? UINT32_MAX : visits + more;
}

// Calls visit(cell) for the cells of a state, plane by plane.
template <typename Visit>
void for_each_cell(const TableShape& shape, std::int32_t s, Visit&& visit) {
    const auto actions = at(shape.actions);
    for (std::size_t p = 0; p < at(shape.planes); ++p) {
        const std::size_t first = (p * at(shape.states) + at(s)) * actions;
        for (std::size_t cell = first; cell < first + actions; ++cell) {
            visit(cell);
        }
    }
}

}  // namespace

// Neighbours are learned about together: by a hash no shard gets more than its part of them.
std::size_t SharedTable::shard_of(std::int32_t s) noexcept {
    return static_cast<std::size_t>(split_mix(0, static_cast<std::uint64_t>(s)) % shards);
}

SharedTable::SharedTable(TableStore& table)
    : table_(table), versions_(at(table.states())), members_(shards), versions_of_shards_(shards) {
    for (std::int32_t s = 0; s < table.states(); ++s) {
        members_[shard_of(s)].push_back(s);
    }
}

void SharedTable::renew() {
    ++version_;
    std::fill(versions_.begin(), versions_.end(), version_);
    std::fill(versions_of_shards_.begin(), versions_of_shards_.end(), version_);
}

Rows SharedTable::newer_than(std::uint64_t version) const {
    Rows rows;
    rows.version = version_;
    for (std::size_t shard = 0; shard < shards; ++shard) {
        if (versions_of_shards_[shard] > version) {
            std::copy_if(members_[shard].begin(),
                         members_[shard].end(),
                         std::back_inserter(rows.states),
                         [&](std::int32_t s) { return versions_[at(s)] > version; });
        }
    }
    std::sort(rows.states.begin(), rows.states.end());
    for (const std::int32_t s : rows.states) {
        for_each_cell(shape(), s, [&](std::size_t cell) {
            rows.values.push_back(table_.values()[cell]);
            rows.visits.push_back(table_.visits()[cell]);
        });
    }
    return rows;
}

void SharedTable::compose(const Delta& offsets, std::span<const float> left, double share) {
    const auto values = table_.values();
    const auto visits = table_.visits();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::uint32_t cell = offsets.cells[i];
        const double moved = static_cast<double>(left[i]) * values[cell] + offsets.changes[i];
        values[cell] = share == 1 ? moved : values[cell] + share * (moved - values[cell]);
        visits[cell] = added(visits[cell], offsets.visits[i]);
    }
    ++version_;
    note_changes(offsets.cells);
}

// In ranges of cells that do not depend on the number of threads; so does no result.
void SharedTable::combine(std::span<const Delta* const> deltas,
                          const Combiner& combiner,
                          runtime::ThreadTeam& threads) {
    constexpr std::uint64_t ranges = 64;
    const auto cells = static_cast<std::uint64_t>(shape().cells());
    threads.parallel_for(ranges, [&](std::ptrdiff_t i, int) {
        const auto range = static_cast<std::uint64_t>(i);
        combiner.apply(deltas,
                       static_cast<std::uint32_t>(cells * range / ranges),
                       static_cast<std::uint32_t>(cells * (range + 1) / ranges),
                       table_.cells());
    });
    ++version_;
    for (const Delta* delta : deltas) {
        if (delta != nullptr) {
            note_changes(delta->cells);
        }
    }
}

void SharedTable::note_changes(std::span<const std::uint32_t> cells) {
    const auto actions = static_cast<std::uint32_t>(table_.actions());
    const auto states = static_cast<std::uint32_t>(table_.states());
    for (const std::uint32_t cell : cells) {
        const auto s = static_cast<std::int32_t>(cell / actions % states);
        if (versions_[at(s)] != version_) {
            versions_[at(s)] = version_;
            versions_of_shards_[shard_of(s)] = version_;
        }
    }
}

std::vector<std::uint32_t> take_rows(const Rows& rows, TableStore& table) {
    const TableShape shape{table.planes(), table.states(), table.actions()};
    const std::size_t width = at(shape.planes) * at(shape.actions);
    if (rows.values.size() != rows.states.size() * width ||
        (!rows.states.empty() && rows.states.back() >= shape.states)) {
        throw InputError(
            "rows of the server's table do not fit this worker's: both must learn in "
            "the same environment");
    }
    std::vector<std::uint32_t> cells;
    cells.reserve(rows.values.size());
    for (const std::int32_t s : rows.states) {
        for_each_cell(shape, s, [&](std::size_t cell) {
            table.values()[cell] = rows.values[cells.size()];
            table.visits()[cell] = rows.visits[cells.size()];
            cells.push_back(static_cast<std::uint32_t>(cell));
        });
    }
    return cells;
}

}  // namespace lockstep::rl
