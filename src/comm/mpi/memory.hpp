#pragma once

#include <cstddef>
#include <memory>

#include "lockstep/comm/communicator.hpp"

#include "comm/mpi/link.hpp"

namespace lockstep::comm {

/// Zeroed memory that all ranks of `link`, which are on one node, share. Its making and its end are
/// collective; `owner` tells whether it is broken.
/// @throws IoError  no room for it
std::unique_ptr<SharedMemory> share_memory(const std::shared_ptr<const MpiLink>& link,
                                           const Communicator& owner,
                                           std::size_t bytes);

}  // namespace lockstep::comm
