#include "lockstep/runtime/node_memory.hpp"

#include <utility>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {

NodeMemory::NodeMemory(std::shared_ptr<comm::Communicator> node,
                       std::unique_ptr<comm::Region> region)
    : node_(std::move(node)),
      region_(std::move(region)),
      start_(region_->partition_span(0, region_->size()).data()) {}

std::shared_ptr<NodeMemory> NodeMemory::create(std::shared_ptr<comm::Communicator> node,
                                               std::size_t bytes) {
    if (node->size() == 1) {
        return nullptr;
    }
    try {
        auto region = node->create_region(bytes);
        return std::shared_ptr<NodeMemory>(new NodeMemory(std::move(node), std::move(region)));
    } catch (const IoError&) {  // on every rank of the node
        return nullptr;
    }
}

}  // namespace lockstep::runtime
