#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// Zeroed memory that all ranks map. Collective over a communicator of one node.
/// @param name  equal on all ranks and new; gone when the call returns
/// @throws IoError  on all ranks: no memory, and what to enlarge
std::unique_ptr<SharedMemory> share_memory(Communicator& communicator,
                                           const std::string& name,
                                           std::size_t bytes);

}  // namespace lockstep::comm
