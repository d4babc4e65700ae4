#pragma once

#include <functional>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// Runs `body`, which makes no collective call; then all ranks learn whether every one succeeded.
/// Collective.
/// @throws IoError  with the message of the first rank that failed, on every rank
void agree_on_outcome(Communicator& communicator, const std::function<void()>& body);

}  // namespace lockstep::comm
