#include "rl/server/shared_table.hpp"

#include <algorithm>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/split_mix.hpp"

namespace lockstep::rl {
namespace {

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

// One part for each server, as wide on its way as the whole was.
std::vector<LeasePart> divide(const LeaseResult& result, const TableShape& shape, int servers) {
    const Delta whole = decode(result.delta, shape.cells());
    std::vector<Delta> deltas(at(servers));
    std::vector<LeasePart> parts(at(servers));
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const auto server = at(Part::server_of(shape.state_of(whole.cells[i]), servers));
        deltas[server].add(whole.cells[i], whole.changes[i], whole.visits[i]);
        if (!result.losses.empty()) {
            parts[server].losses.push_back(result.losses[i]);
        }
    }
    for (std::size_t server = 0; server < parts.size(); ++server) {
        parts[server].id = result.id;
        parts[server].delta = encode(deltas[server], width_of(result.delta));
    }
    return parts;
}

}  // namespace

std::size_t Part::shard_of(std::int32_t s) noexcept {
    return static_cast<std::size_t>(split_mix(0, static_cast<std::uint64_t>(s)) % shards);
}

std::vector<std::vector<LeasePart>> take_parts(Push& push, const TableShape& shape, int servers) {
    std::vector<std::vector<LeasePart>> parts(at(servers - 1));
    if (servers == 1) {
        return parts;
    }
    for (LeaseResult& result : push.results) {
        auto divided = divide(result, shape, servers);
        result.delta = std::move(divided[0].delta);
        result.losses = std::move(divided[0].losses);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            parts[i].push_back(std::move(divided[i + 1]));
        }
    }
    return parts;
}

SharedTable::SharedTable(TableStore& table, const Part& part, bool knows_authors)
    : table_(table),
      versions_(at(table.states())),
      versions_of_cells_(table.store().size()),
      authors_(knows_authors ? table.store().size() : 0),
      versions_of_others_(authors_.size()),
      members_(Part::shards),
      versions_of_shards_(Part::shards) {
    for (std::int32_t s = 0; s < table.states(); ++s) {
        if (Part::server_of(s, part.servers) == part.server) {
            members_[Part::shard_of(s)].push_back(s);
        }
    }
}

void SharedTable::renew() {
    ++version_;
    std::fill(versions_.begin(), versions_.end(), version_);
    std::fill(
        versions_of_cells_.begin(), versions_of_cells_.end(), static_cast<std::uint32_t>(version_));
    std::fill(versions_of_shards_.begin(), versions_of_shards_.end(), version_);
    std::fill(authors_.begin(), authors_.end(), 0);
}

// A cell that has not changed for 2^31 pushes may be taken for a new one, which does no harm.
bool SharedTable::is_newer(std::size_t cell, std::uint64_t version, std::uint32_t reader) const {
    const bool is_own = reader != 0 && !authors_.empty() && authors_[cell] == reader;
    const std::uint32_t changed = is_own ? versions_of_others_[cell] : versions_of_cells_[cell];
    return static_cast<std::int32_t>(changed - static_cast<std::uint32_t>(version)) > 0;
}

News SharedTable::newer_than(std::uint64_t version, std::uint32_t reader) const {
    News news;
    news.version = version_;
    for (std::size_t shard = 0; shard < Part::shards; ++shard) {
        if (versions_of_shards_[shard] <= version) {
            continue;
        }
        for (const std::int32_t s : members_[shard]) {
            if (versions_[at(s)] > version) {
                for_each_cell(shape(), s, [&](std::size_t cell) {
                    if (is_newer(cell, version, reader)) {
                        news.cells.push_back(static_cast<std::uint32_t>(cell));
                    }
                });
            }
        }
    }
    std::sort(news.cells.begin(), news.cells.end());
    for (const std::uint32_t cell : news.cells) {
        news.values.push_back(table_.store().value(cell));
        news.visits.push_back(table_.store().visits()[cell]);
    }
    return news;
}

void SharedTable::compose(const Delta& offsets,
                          std::span<const double> left,
                          double share,
                          std::uint32_t author) {
    CellStore& table = table_.store();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::uint32_t cell = offsets.cells[i];
        const double value = table.value(cell);
        const double moved = left[i] * value + offsets.changes[i];
        table.set_value(cell, share == 1 ? moved : value + share * (moved - value));
        table.visits()[cell] = add_visits(table.visits()[cell], offsets.visits[i]);
    }
    ++version_;
    note_changes(offsets.cells, share == 1 ? author : 0);
}

void SharedTable::combine(std::span<const Delta* const> deltas,
                          const Combiner& combiner,
                          runtime::ThreadTeam& threads) {
    combiner.apply(deltas, table_.cells(), shape().cells(), threads);
    ++version_;
    for (const Delta* delta : deltas) {
        if (delta != nullptr) {
            note_changes(delta->cells);
        }
    }
}

void SharedTable::note_changes(std::span<const std::uint32_t> cells, std::uint32_t author) {
    const auto actions = static_cast<std::uint32_t>(table_.actions());
    const auto states = static_cast<std::uint32_t>(table_.states());
    for (const std::uint32_t cell : cells) {
        if (!authors_.empty() && authors_[cell] != author) {
            authors_[cell] = author;
            versions_of_others_[cell] = versions_of_cells_[cell];
        }
        versions_of_cells_[cell] = static_cast<std::uint32_t>(version_);
        const auto s = static_cast<std::int32_t>(cell / actions % states);
        if (versions_[at(s)] != version_) {
            versions_[at(s)] = version_;
            versions_of_shards_[Part::shard_of(s)] = version_;
        }
    }
}

void take_news(const News& news, TableStore& table) {
    if (!news.cells.empty() && news.cells.back() >= table.store().size()) {
        throw InputError(
            "cells of the server's table do not fit this worker's: both must learn in "
            "the same environment");
    }
    for (std::size_t i = 0; i < news.cells.size(); ++i) {
        table.store().set_value(news.cells[i], news.values[i]);
        table.store().visits()[news.cells[i]] = news.visits[i];
    }
}

}  // namespace lockstep::rl
