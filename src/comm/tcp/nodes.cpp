// What the ranks of a node do apart from the others, through memory that they share.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/agreed_outcome.hpp"
#include "comm/shm/group.hpp"
#include "comm/tcp/communicator.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr auto leaders_number = std::numeric_limits<std::uint64_t>::max();

}  // namespace

NodeMap TcpCommunicator::map_members() const {
    std::vector<std::string> names;
    for (const Member& member : connections_->place().members) {
        names.push_back(member.node);
    }
    return map_nodes(names, rank());
}

// Null where this build or this machine shares no memory.
std::unique_ptr<Communicator> TcpCommunicator::share_node() {
    if (!is_built(BackendKind::shm)) {
        return nullptr;
    }
    try {
        auto node = make_shm_group(*this, map_members().own_ranks(), options_.node_memory);
        made_->push_back(std::move(node.revoke));
        return std::move(node.communicator);
    } catch (const IoError&) {
        return nullptr;
    }
}

// Collectives of this communicator begin once it is whole, so those that it takes until then are
// those of another one with the same connections.
void TcpCommunicator::open_nodes(Deadline deadline) {
    TcpCommunicator all(detector_, connections_, options_);
    all.made_ = made_;
    all.barrier();  // a rank that ends now would take its doors from those that still connect
    const NodeMap nodes = map_members();
    if (!gathers_by_nodes(options_.gather, nodes)) {
        return;
    }
    auto node = all.share_node();
    if (!node) {
        return;
    }
    std::unique_ptr<Communicator> leaders;
    try {
        agree_on_outcome(all, [&] {
            if (node->rank() == 0) {
                leaders = open_leaders(nodes, deadline);
            }
        });
        agree_on_outcome(all, [&] {
            by_nodes_ = std::make_unique<NodeGather>(nodes, std::move(node), std::move(leaders));
        });
    } catch (const IoError&) {
        by_nodes_.reset();
    }
}

std::unique_ptr<Communicator> TcpCommunicator::open_leaders(const NodeMap& nodes,
                                                            Deadline deadline) {
    const Connections::Place& all = connections_->place();
    Connections::Place place{all.derived_group(leaders_number), static_cast<int>(nodes.own), {}};
    for (const int leader : nodes.leaders()) {
        place.members.push_back(all.members[at(leader)]);
    }
    return make_part(place, deadline);
}

}  // namespace lockstep::comm::tcp
