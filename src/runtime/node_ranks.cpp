#include "lockstep/runtime/node_ranks.hpp"

namespace lockstep::runtime {

std::shared_ptr<comm::Communicator> NodeRanks::of(comm::Communicator& ranks) {
    if (!node_ || recoveries_ != ranks.recoveries()) {
        node_ = ranks.split_local();
        recoveries_ = ranks.recoveries();
    }
    return node_;
}

}  // namespace lockstep::runtime
