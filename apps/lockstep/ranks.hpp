#pragma once

#include <functional>
#include <string>

#include "lockstep/comm/launch.hpp"

#include "voice.hpp"

namespace lockstep::cli {

/// Whether this process is to tell an error that every rank meets by itself: rank 0 of a launcher,
/// or one that no launcher has started, whose variables may be wrong alone.
bool is_claimed_first();

/// Meets the other ranks that a launcher started, and runs `body` on each.
///
/// An error that all ranks know of is told by one of them. A rank that fails alone takes the others
/// with it, so that none waits for it.
/// @param backend  as comm::choose_backend takes it
/// @return the exit code
int on_ranks(const std::string& backend,
             const Voice& voice,
             const std::function<int(comm::Communicator&)>& body);

}  // namespace lockstep::cli
