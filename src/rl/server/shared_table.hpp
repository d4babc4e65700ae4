#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/runtime/thread_team.hpp"

#include "rl/exchange/combine.hpp"
#include "rl/exchange/delta.hpp"
#include "rl/learn/table_store.hpp"
#include "rl/server/messages.hpp"
#include "rl/server/shard_messages.hpp"

namespace lockstep::rl {

/// Which states a server has: their shards are dealt in turns.
struct Part {
    static constexpr std::size_t shards = 64;
    int server = 0;
    int servers = 1;  ///< at most `shards`

    /// Neighbours are learned about together: by a hash no shard gets more than its part of them.
    [[nodiscard]] static std::size_t shard_of(std::int32_t s) noexcept;
    [[nodiscard]] static int server_of(std::int32_t s, int servers) noexcept {
        return static_cast<int>(shard_of(s) % static_cast<std::size_t>(servers));
    }
};

/// What a worker pushes, for each server: the first gets all but what is of the others' states.
/// @returns  [servers - 1]
std::vector<std::vector<LeasePart>> take_parts(Push& push, const TableShape& shape, int servers);

/// A table of which every cell knows when it last changed, so that who has an older copy gets what
/// is newer and no more. States lie in shards; one that has not changed is not looked at.
class SharedTable {
public:
    /// @param part  states of which it tells news; updates are of these alone
    /// @param knows_authors  newer_than() can leave out what its reader did itself
    explicit SharedTable(TableStore& table, const Part& part = {}, bool knows_authors = false);

    /// Pushes that were applied, one round of all counts as one.
    [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
    [[nodiscard]] TableShape shape() const noexcept {
        return {table_.planes(), table_.states(), table_.actions()};
    }
    /// All cells are as if they had just changed: the table was loaded.
    void renew();
    /// @param reader  who has all of `version`, and since then its own updates as compose() makes
    /// them: cells that only it has changed are left out; 0: nobody
    [[nodiscard]] News newer_than(std::uint64_t version, std::uint32_t reader = 0) const;

    /// One worker's updates after all that came before: v moves by `share` of the way to
    /// left · v + offset.
    /// @param offsets  its changes are offsets
    /// @param author  who has composed them with its own copy as well; 0: nobody
    void compose(const Delta& offsets,
                 std::span<const double> left,
                 double share,
                 std::uint32_t author = 0);
    /// What workers learned in a round from the same table.
    /// @param deltas  [workers]
    void combine(std::span<const Delta* const> deltas,
                 const Combiner& combiner,
                 runtime::ThreadTeam& threads);

private:
    void note_changes(std::span<const std::uint32_t> cells, std::uint32_t author = 0);
    [[nodiscard]] bool is_newer(std::size_t cell,
                                std::uint64_t version,
                                std::uint32_t reader) const;

    TableStore& table_;
    std::uint64_t version_ = 0;
    std::vector<std::uint64_t> versions_;           // [states]
    std::vector<std::uint32_t> versions_of_cells_;  // [planes, states, actions], modulo 2^32
    // With authors: who changed a cell last, and when somebody else did.
    std::vector<std::uint32_t> authors_;
    std::vector<std::uint32_t> versions_of_others_;
    std::vector<std::vector<std::int32_t>> members_;  // [shards], states; of others: none
    std::vector<std::uint64_t> versions_of_shards_;   // [shards]
};

/// Takes news over into a copy of the table.
/// @throws InputError  a cell that does not exist
void take_news(const News& news, TableStore& table);

}  // namespace lockstep::rl
