#pragma once

#include <memory>

#include "lockstep/comm/launch.hpp"

#include "comm/tcp/failure_detector.hpp"
#include "comm/tcp/membership.hpp"

namespace lockstep::comm::tcp {

struct Meeting {
    std::shared_ptr<FailureDetector> detector;
    Membership membership;
};

/// Ranks meet at the coordinator's address, where rank 0 listens. Collective.
/// @throws CommError  they do not meet in time, or rank 0 refuses this one; IoError  the token file
Meeting meet(const TcpConfig& config);

/// The survivors of a membership meet at the one of lowest rank. Collective over the survivors.
///
/// Each asks the ranks before it, in order: one whose listening socket is gone is dead, one that is
/// still busy with something else is waited for. The first that finds all before it dead waits
/// until every other rank has come or is dead, and leads. When it dies meanwhile, the others turn
/// to the next.
/// @throws Rejected  the others took this rank for dead; CommError  hosts cannot be reached, so
///         that more ranks may live on elsewhere than are here; or the deadline has come
Membership meet_again(FailureDetector& detector, const Membership& old, Deadline deadline);

}  // namespace lockstep::comm::tcp
