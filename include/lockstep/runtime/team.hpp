#pragma once

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {

/// All that an engine knows about parallelism: the ranks and this rank's threads.
struct Team {
    comm::Communicator& ranks;
    ThreadTeam& threads;
};

}  // namespace lockstep::runtime
