#pragma once

#include <cstddef>
#include <memory>

#include "lockstep/comm/communicator.hpp"

#include "comm/mpi/link.hpp"

namespace lockstep::comm {

/// Messages between the ranks of `link`, whose end is collective; `owner` tells whether it is
/// broken.
std::unique_ptr<Mailbox> open_mpi_mailbox(std::unique_ptr<MpiLink> link,
                                          const Communicator& owner,
                                          std::size_t room);

}  // namespace lockstep::comm
