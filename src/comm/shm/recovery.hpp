#pragma once

#include <memory>
#include <vector>

#include "lockstep/comm/launch.hpp"

#include "comm/shm/room.hpp"

namespace lockstep::comm {

struct ShmSurvival {
    std::shared_ptr<ShmRoom> room;  ///< of the survivors, in the old order
    std::vector<int> lost;          ///< as numbered in the old room, ascending
};

/// The ranks of a room of which some are gone meet in a new one. Waits until every rank is here or
/// gone; ranks may die at any point of it. Collective over the survivors.
/// @throws IoError  no memory for the new room; CommError  this rank failed here before, a rank has
///         aborted, or they do not come within ShmConfig::recover_timeout_ms
ShmSurvival meet_survivors(ShmRoom& old, const ShmConfig& settings);

}  // namespace lockstep::comm
