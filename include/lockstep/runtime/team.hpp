#pragma once

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/survival.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::runtime {

/// All that an engine knows about parallelism: the ranks, this rank's threads, and what becomes of
/// the job when a rank is lost.
struct Team {
    comm::Communicator& ranks;
    ThreadTeam& threads;
    Survival survival = {};
};

}  // namespace lockstep::runtime
