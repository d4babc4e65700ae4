#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/comm/mailbox.hpp"

#include "comm/tcp/connections.hpp"
#include "comm/tcp/failure_detector.hpp"

namespace lockstep::comm::tcp {

/// A mailbox with a connection between every two members of `place`. Collective.
/// @param office  set to what the communicator revokes when it recovers
/// @throws LinkLost, RankLost, CommError  a member is gone
std::unique_ptr<Mailbox> open_mailbox(const std::shared_ptr<FailureDetector>& detector,
                                      const Connections::Place& place,
                                      std::size_t room,
                                      std::weak_ptr<Revocable>& office);

}  // namespace lockstep::comm::tcp
