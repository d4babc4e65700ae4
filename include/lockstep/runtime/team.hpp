#pragma once

#include <memory>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/node_ranks.hpp"
#include "lockstep/runtime/survival.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {

/// All that an engine knows about parallelism: the ranks, this rank's threads, and what becomes of
/// the job when a rank is lost.
struct Team {
    comm::Communicator& ranks;
    ThreadTeam& threads;
    Survival survival = {};
    NodeRanks node_ranks = {};

    /// The ranks of this one's node. Collective the first time and after each loss.
    [[nodiscard]] std::shared_ptr<comm::Communicator> node() { return node_ranks.of(ranks); }
};

}  // namespace lockstep::runtime
