#include "rl/learn/consistency.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"

namespace lockstep::rl {
namespace {

constexpr std::size_t cells_of_a_block = 4096;

/// A cell, as its bits are.
struct Cell {
    std::uint64_t value;
    std::uint64_t visits;
    friend bool operator==(const Cell&, const Cell&) = default;
};

struct Block {
    std::size_t begin;
    std::size_t size;
};

Block block_at(const TableStore& table, std::size_t index) {
    const std::size_t begin = index * cells_of_a_block;
    return {begin, std::min(cells_of_a_block, table.store().size() - begin)};
}

std::vector<std::uint64_t> hashes_of(const TableStore& table) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t cell = 0; cell < table.store().size(); cell += cells_of_a_block) {
        const Block block = block_at(table, cell / cells_of_a_block);
        DigestBuilder hash;
        table.store().with_values(
            [&](const auto& values) { hash.add(values.subspan(block.begin, block.size)); });
        hash.add(table.store().visits().subspan(block.begin, block.size));
        hashes.push_back(hash.digest().front());
    }
    return hashes;
}

std::vector<Cell> cells_of(const TableStore& table, const Block& block) {
    std::vector<Cell> cells;
    for (std::size_t cell = block.begin; cell < block.begin + block.size; ++cell) {
        cells.push_back({std::bit_cast<std::uint64_t>(table.store().value(cell)),
                         table.store().visits()[cell]});
    }
    return cells;
}

// The hash that most ranks have; of equally many that of the lowest rank.
std::uint64_t usual(const std::vector<std::uint64_t>& of_ranks) {
    return *std::ranges::max_element(
        of_ranks, {}, [&](std::uint64_t hash) { return std::ranges::count(of_ranks, hash); });
}

struct Disagreement {
    std::size_t block = 0;
    int sound = 0;  // the first rank that has what most have
    std::vector<int> ranks;
};

std::optional<Disagreement> first_disagreement(const std::vector<std::uint64_t>& all, int ranks) {
    const std::size_t blocks = all.size() / at(ranks);
    for (std::size_t block = 0; block < blocks; ++block) {
        std::vector<std::uint64_t> of_ranks;
        for (int rank = 0; rank < ranks; ++rank) {
            of_ranks.push_back(all[at(rank) * blocks + block]);
        }
        const auto most = usual(of_ranks);
        Disagreement found{
            block, static_cast<int>(std::ranges::find(of_ranks, most) - of_ranks.begin()), {}};
        for (int rank = 0; rank < ranks; ++rank) {
            if (of_ranks[at(rank)] != most) {
                found.ranks.push_back(rank);
            }
        }
        if (!found.ranks.empty()) {
            return found;
        }
    }
    return {};
}

// Number in the block of the first cell that differs on any rank. Collective.
std::int64_t first_cell(comm::Communicator& ranks,
                        const TableStore& table,
                        const Block& block,
                        int sound) {
    const auto own = cells_of(table, block);
    auto theirs = own;
    ranks.broadcast(std::span<Cell>(theirs), sound);
    const auto place = std::ranges::mismatch(own, theirs).in1 - own.begin();
    return ranks.allreduce(static_cast<std::int64_t>(place), comm::ReduceOp::min);
}

std::string place_of(const TableStore& table, std::size_t cell) {
    const auto actions = at(table.actions());
    const auto in_plane = cell % table.pairs();
    const auto plane = table.planes() > 1 ? fmt::format("table {}, ", cell / table.pairs()) : "";
    return fmt::format("{}state {}, action {}", plane, in_plane / actions, in_plane % actions);
}

}  // namespace

void check_consistency(comm::Communicator& ranks, const TableStore& table, std::int64_t round) {
    const auto all = comm::gather_list(ranks, hashes_of(table));
    const auto found = first_disagreement(all, ranks.size());
    if (!found) {
        return;
    }
    const Block block = block_at(table, found->block);
    const auto cell = first_cell(ranks, table, block, found->sound);
    throw CommError(
        fmt::format("after round {} the table of rank {} differs from that of rank {}, first in "
                    "block {} at {}: a processor, its memory or the network changed bits there; "
                    "leave that machine out and resume from a checkpoint of before the round",
                    round,
                    fmt::join(found->ranks, ", "),
                    found->sound,
                    found->block,
                    place_of(table, block.begin + static_cast<std::size_t>(cell))));
}

}  // namespace lockstep::rl
