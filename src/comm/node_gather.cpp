#include "comm/node_gather.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/index.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

// Fewer ranks a node save fewer steps between nodes than the steps within one cost, as long as
// their data do not cross the network again and again.
constexpr std::size_t ranks_of_a_full_node = 8;

// Smaller data are everywhere before a node has begun.
constexpr std::int64_t long_bytes = std::int64_t{64} << 10;

// Losses in a part of the run, with the numbers of the whole.
template <typename F>
void with_ranks(const std::vector<int>& ranks, F&& call) {
    try {
        call();
    } catch (const PeerFailed& loss) {
        throw PeerFailed(loss.what(), ranks[at(loss.rank())]);
    }
}

}  // namespace

std::vector<int> NodeMap::leaders() const {
    std::vector<int> leaders;
    for (const auto& members : ranks) {
        leaders.push_back(members.front());
    }
    return leaders;
}

std::size_t NodeMap::size() const {
    std::size_t size = 0;
    for (const auto& members : ranks) {
        size += members.size();
    }
    return size;
}

std::size_t NodeMap::crossings() const {
    const auto last = static_cast<int>(size()) - 1;
    std::size_t crossings = 0;
    for (const auto& members : ranks) {
        for (const int rank : members) {
            const int next = rank == last ? 0 : rank + 1;
            crossings += std::ranges::binary_search(members, next) ? 0U : 1U;
        }
    }
    return crossings;
}

NodeMap map_nodes(const std::vector<std::string>& names, int rank) {
    NodeMap nodes;
    std::vector<std::string> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto node =
            static_cast<std::size_t>(std::ranges::find(found, names[i]) - found.begin());
        if (node == found.size()) {
            found.push_back(names[i]);
            nodes.ranks.emplace_back();
        }
        nodes.ranks[node].push_back(static_cast<int>(i));
        if (std::cmp_equal(i, rank)) {
            nodes.own = node;
        }
    }
    return nodes;
}

// Two nodes of two ranks that were dealt in turn took 0.4 of the time of a ring over 1 Gbit/s, of
// four ranks 0.2; in blocks both took 0.85.
bool gathers_by_nodes(NodeConfig::Gather wish, const NodeMap& nodes) {
    if (wish != NodeConfig::Gather::automatic) {
        return wish == NodeConfig::Gather::by_nodes;
    }
    const auto count = nodes.ranks.size();
    return count > 1 &&
           (nodes.size() >= ranks_of_a_full_node * count || nodes.crossings() >= 2 * count);
}

std::int64_t by_nodes_from(NodeConfig::Gather wish) {
    return wish == NodeConfig::Gather::by_nodes ? 0 : long_bytes;
}

NodeGather::NodeGather(NodeMap nodes,
                       std::unique_ptr<Communicator> node,
                       std::unique_ptr<Communicator> leaders,
                       std::size_t slice_bytes)
    : nodes_(std::move(nodes)),
      leader_ranks_(nodes_.leaders()),
      node_(std::move(node)),
      leaders_(std::move(leaders)),
      slice_bytes_(std::max<std::size_t>(1, slice_bytes / nodes_.ranks.size())),
      region_(node_->create_region(slice_bytes_ * nodes_.ranks.size())) {}

void NodeGather::run(std::span<const std::byte> send,
                     std::span<std::byte> receive,
                     const Layout& layout,
                     std::size_t width) {
    find_parts(receive, layout, width);
    with_ranks(nodes_.own_ranks(), [&] { gather_on_node(send, receive, layout, width); });
    if (nodes_.ranks.size() == 1) {
        return;
    }
    std::size_t longest = 0;
    for (std::size_t node = 0; node < nodes_.ranks.size(); ++node) {
        longest = std::max(longest, bytes_of(node));
    }
    for (std::size_t begin = 0; begin < longest; begin += slice_bytes_) {
        exchange(begin);
    }
}

void NodeGather::find_parts(std::span<std::byte> receive, const Layout& layout, std::size_t width) {
    parts_.clear();
    for (int rank = 0; rank < layout.ranks(); ++rank) {
        parts_.push_back(part_of(receive, layout, width, rank));
    }
}

// The ranks of a node need each other's parts where they are in the end.
void NodeGather::gather_on_node(std::span<const std::byte> send,
                                std::span<std::byte> receive,
                                const Layout& layout,
                                std::size_t width) {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> offsets;
    for (const int rank : nodes_.own_ranks()) {
        counts.push_back(layout.count(rank) * static_cast<std::int64_t>(width));
        offsets.push_back(
            layout.count(rank) == 0 ? 0 : layout.offset(rank) * static_cast<std::int64_t>(width));
    }
    node_->allgatherv(send, receive, Layout(std::move(counts), std::move(offsets)));
}

// One turn: bytes from `begin` on of what each node has.
void NodeGather::exchange(std::size_t begin) {
    const Layout slices = slices_from(begin);
    if (leaders_) {
        packed_.clear();
        for_each_piece(nodes_.own, begin, [&](std::span<const std::byte> piece) {
            packed_.insert(packed_.end(), piece.begin(), piece.end());
        });
        with_ranks(leader_ranks_, [&] {
            leaders_->allgatherv(
                std::span<const std::byte>(packed_), region_->writer_span(), slices);
        });
    }
    with_ranks(nodes_.own_ranks(), [&] { region_->fence(); });
    for (std::size_t node = 0; node < nodes_.ranks.size(); ++node) {
        const auto* source = region_->view().data() + slices.offset(static_cast<int>(node));
        if (node != nodes_.own) {
            for_each_piece(node, begin, [&](std::span<std::byte> piece) {
                std::copy_n(source, piece.size(), piece.begin());
                source += piece.size();
            });
        }
    }
    with_ranks(nodes_.own_ranks(), [&] { region_->begin_update(); });
}

Layout NodeGather::slices_from(std::size_t begin) const {
    std::vector<std::int64_t> counts;
    for (std::size_t node = 0; node < nodes_.ranks.size(); ++node) {
        const auto bytes = bytes_of(node);
        counts.push_back(
            static_cast<std::int64_t>(std::min(bytes - std::min(bytes, begin), slice_bytes_)));
    }
    return Layout(counts);
}

std::size_t NodeGather::bytes_of(std::size_t node) const {
    std::size_t bytes = 0;
    for (const int rank : nodes_.ranks[node]) {
        bytes += parts_[at(rank)].size();
    }
    return bytes;
}

// What a slice from `begin` on has of each part of a node.
template <typename F>
void NodeGather::for_each_piece(std::size_t node, std::size_t begin, F&& take) const {
    std::size_t end = begin + slice_bytes_;
    for (const int rank : nodes_.ranks[node]) {
        const auto part = parts_[at(rank)];
        const auto first = std::min(begin, part.size());
        const auto last = std::min(end, part.size());
        take(part.subspan(first, last - first));
        begin -= first;
        end -= last;
    }
}

}  // namespace lockstep::comm
