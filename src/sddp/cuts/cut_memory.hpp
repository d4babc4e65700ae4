#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/node_memory.hpp"

#include "sddp/cuts/cut_pool.hpp"

namespace lockstep::sddp {

/// Where the slopes of all stages' cuts lie: once per node, written by its first rank.
///
/// On a node without room for shared memory each rank keeps its own. Cuts are added between open()
/// and close(), and priced once they are published.
class CutMemory {
public:
    /// Moves the slopes into memory of the node, with room for `cuts` more in each pool. Again
    /// after a loss.
    /// @param node  as split_local() made it
    /// Collective over the node.
    void place(std::shared_ptr<comm::Communicator> node, std::span<CutPool> pools, int cuts);
    /// Room for `cuts` more in each pool. Collective over the node.
    void reserve(std::span<CutPool> pools, int cuts);

    /// Instead of place() where slopes come from elsewhere: begins with nothing.
    void begin(std::shared_ptr<comm::Communicator> node);
    /// Gives a pool the slopes of its cuts.
    /// @param rows  [cuts × width] doubles; only those of the node's first rank are read
    /// Collective over the node.
    void fill(CutPool& pool, std::span<const std::byte> rows);
    /// Room for `cuts` more in each pool, and those are the ones to which open() lets cuts be
    /// added. Collective over the node.
    void grow(std::span<CutPool> pools, int cuts);

    /// Cuts may be added. Collective over the node.
    void open();
    /// What was added is seen by all. Collective over the node.
    void publish();
    /// The same, and no more are added. Collective over the node.
    void close();

    /// Bytes that this rank reads in memory of another.
    [[nodiscard]] std::int64_t borrowed_bytes() const noexcept { return borrowed_bytes_; }

private:
    template <typename F>
    void deal(std::span<CutPool> pools, std::span<const int> rooms, F&& put);

    std::shared_ptr<comm::Communicator> node_;
    std::shared_ptr<runtime::NodeMemory>
        newest_;  // holds the last block of each pool; none: own memory
    std::int64_t borrowed_bytes_ = 0;
};

}  // namespace lockstep::sddp
