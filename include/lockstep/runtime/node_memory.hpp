#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// Zeroed memory that the ranks of a node hold once and its writer fills.
///
/// Keeps the node's communicator; owners on all ranks must let it go in the same order.
class NodeMemory {
public:
    /// None for a rank alone on its node, and where there is no room for shared memory: each rank
    /// then goes on with memory of its own.
    /// @param node  as split_local() made it
    /// Collective over the node.
    static std::shared_ptr<NodeMemory> create(std::shared_ptr<comm::Communicator> node,
                                              std::size_t bytes);

    [[nodiscard]] const std::byte* bytes() const noexcept { return start_; }
    /// The same for the writer; nullptr on other ranks.
    [[nodiscard]] std::byte* writable() noexcept { return is_writer() ? start_ : nullptr; }
    [[nodiscard]] bool is_writer() const noexcept { return region_->is_writer(); }
    /// Bytes that this rank reads but does not hold.
    [[nodiscard]] std::int64_t borrowed_bytes() const noexcept {
        return is_writer() ? 0 : static_cast<std::int64_t>(region_->size());
    }
    /// Phases of writing, which begin with one.
    [[nodiscard]] comm::Region& region() noexcept { return *region_; }

private:
    NodeMemory(std::shared_ptr<comm::Communicator> node, std::unique_ptr<comm::Region> region);

    std::shared_ptr<comm::Communicator> node_;  // outlives the region
    std::unique_ptr<comm::Region> region_;
    std::byte* start_;  // what was published may be read in any phase
};

}  // namespace lockstep::runtime
