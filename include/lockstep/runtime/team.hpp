#pragma once

#include <memory>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/node_ranks.hpp"
#include "lockstep/runtime/survival.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {

/// All that an engine knows about parallelism: the ranks, this rank's threads, and what becomes of
/// the job when a rank is lost. Results must not depend on any of it.
struct Team {
    comm::Communicator& ranks;  ///< all ranks of the job that are left
    ThreadTeam& threads;        ///< of this rank; every rank may have another number of them
    Survival survival = {};     ///< what to do when a rank is lost; default: the job fails
    NodeRanks node_ranks = {};  ///< kept, so that the node's ranks are found once a run

    /// The ranks of this one's node. Collective the first time and after each loss.
    [[nodiscard]] std::shared_ptr<comm::Communicator> node() { return node_ranks.of(ranks); }
};

}  // namespace lockstep::runtime
