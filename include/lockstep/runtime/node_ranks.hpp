#pragma once

#include <cstdint>
#include <memory>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// The ranks of this rank's node, found once and again after each loss.
class NodeRanks {
public:
    /// @param ranks  the same each time
    /// Collective the first time and after each recovery, in which a rank may have been lost.
    /// @throws CommError  a rank is gone
    std::shared_ptr<comm::Communicator> of(comm::Communicator& ranks);

private:
    std::shared_ptr<comm::Communicator> node_;
    std::uint64_t recoveries_ = 0;  // of the ranks, when they were split
};

}  // namespace lockstep::runtime
