#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/comm/communicator.hpp"

#include "comm/tcp/connections.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

/// One collective: the bytes of each rank, on every rank.
///
/// Two ranks send to each other. More send to rank 0, which sends all of it to all; large data go
/// around a ring instead, after rank 0 has seen that all ranks make the same call. What comes is
/// checked before it is read, and read where it belongs.
struct Exchange {
    const CallStamp& stamp;
    /// Where the bytes of each rank belong on this one; those of this rank are there already.
    std::vector<std::span<std::byte>> places;
    bool may_go_around = true;

    /// Does it.
    /// @returns when the last rank had come
    /// @throws LinkLost; RankLost; CommError  the ranks make different calls
    Clock::time_point over(Connections& connections) const;
};

}  // namespace lockstep::comm::tcp
