#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {

/// Which ranks share a node. Placement is free: in blocks, cyclic, or any other.
struct NodeMap {
    std::vector<std::vector<int>> ranks;  ///< of each node, ascending; nodes by their first rank
    std::size_t own = 0;                  ///< node of this rank

    [[nodiscard]] std::size_t size() const;
    /// How often a ring of all ranks goes from one node to another: once a node if they are placed
    /// in blocks.
    [[nodiscard]] std::size_t crossings() const;
    /// The ranks of this one's node.
    [[nodiscard]] const std::vector<int>& own_ranks() const { return ranks[own]; }
    /// First rank of each node.
    [[nodiscard]] std::vector<int> leaders() const;
};
/// @param names  of each rank's node
NodeMap map_nodes(const std::vector<std::string>& names, int rank);

/// Whether the ranks gather by nodes; the same on all of them. By itself where nodes are full, or
/// where the data of a ring would cross the network twice as often.
bool gathers_by_nodes(NodeConfig::Gather wish, const NodeMap& nodes);

/// Fewest bytes that go by nodes.
std::int64_t by_nodes_from(NodeConfig::Gather wish);

/// Gathers in three steps: on each node through its shared memory, between the first ranks of the
/// nodes, and from those through memory that their node shares. What travels between nodes travels
/// once, not once for each rank, wherever the parts lie. Bytes are only moved, so the result is
/// that of any other gather.
class NodeGather {
public:
    /// Collective over `node`.
    /// @param node  ranks of this node
    /// @param leaders  first ranks of all nodes, in the order of the nodes; null on the others
    /// @param slice_bytes  of shared memory; longer data go in turns
    /// @throws as Communicator::create_region
    NodeGather(NodeMap nodes,
               std::unique_ptr<Communicator> node,
               std::unique_ptr<Communicator> leaders,
               std::size_t slice_bytes = std::size_t{4} << 20);

    /// As Communicator::do_allgatherv.
    /// @throws PeerFailed  with the number of the lost rank among all ranks
    void run(std::span<const std::byte> send,
             std::span<std::byte> receive,
             const Layout& layout,
             std::size_t width);

private:
    void find_parts(std::span<std::byte> receive, const Layout& layout, std::size_t width);
    void gather_on_node(std::span<const std::byte> send,
                        std::span<std::byte> receive,
                        const Layout& layout,
                        std::size_t width);
    void exchange(std::size_t begin);
    [[nodiscard]] Layout slices_from(std::size_t begin) const;
    [[nodiscard]] std::size_t bytes_of(std::size_t node) const;
    template <typename F>
    void for_each_piece(std::size_t node, std::size_t begin, F&& take) const;

    NodeMap nodes_;
    std::vector<int> leader_ranks_;
    std::unique_ptr<Communicator> node_;
    std::unique_ptr<Communicator> leaders_;
    std::size_t slice_bytes_;                  // of a node
    std::vector<std::span<std::byte>> parts_;  // of the present gather, by rank
    std::vector<std::byte> packed_;            // what this node sends to the others
    std::unique_ptr<Region> region_;           // what all nodes have sent; last, it needs node_
};

}  // namespace lockstep::comm
