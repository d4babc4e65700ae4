#pragma once

#include <functional>
#include <memory>
#include <span>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {

struct ShmGroup {
    std::unique_ptr<Communicator> communicator;
    /// Breaks it, on all its ranks, and what was made from it; nothing once they are gone.
    std::function<void()> revoke;
};

/// A communicator over shared memory for some ranks of another one, all on this node. Collective
/// over the parent; every rank is in one group.
/// @param members  the group of this rank, as numbered in the parent, ascending; their order here
/// @param settings  prefix of names, buffers, spinning, equal on all ranks; rank and size are not
/// looked at
/// @throws IoError  on all ranks of the parent: no memory, and what to enlarge; NotBuiltError  this
/// build has no shm
ShmGroup make_shm_group(Communicator& parent,
                        std::span<const int> members,
                        const ShmConfig& settings);

}  // namespace lockstep::comm
