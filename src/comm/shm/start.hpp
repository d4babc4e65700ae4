#pragma once

#include <memory>

#include "lockstep/comm/launch.hpp"

#include "comm/shm/room.hpp"

namespace lockstep::comm {

/// Meets the other ranks in a room of the configured name, which is gone afterwards. What a dead
/// creator left under the name is removed.
/// @throws CommError  bad configuration, or the ranks do not meet in time; IoError  no memory
std::shared_ptr<ShmRoom> meet_at_start(const ShmConfig& config);

}  // namespace lockstep::comm
