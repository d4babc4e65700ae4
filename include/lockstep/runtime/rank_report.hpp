#pragma once

#include <cstdint>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// Where a rank's time went in a round of work, and what it exchanged. An engine adds its own
/// counts.
struct RankReport {
    double compute_seconds = 0;        ///< everything but the rest of these
    double communication_seconds = 0;  ///< in collectives once all ranks had come
    /// In collectives until all ranks had come; over MPI an estimate (comm::Traffic).
    double wait_seconds = 0;
    double io_seconds = 0;  ///< writing the checkpoint before the round
    std::int64_t bytes_sent = 0;
    std::int64_t bytes_received = 0;
    std::int64_t borrowed_bytes = 0;  ///< read in memory of another rank of the node
};

/// What a rank's communicator says of a round.
/// @param now, before  at the end of the round and at its start
/// @param seconds  of the round, the writing left out
RankReport rank_report(const comm::Traffic& now,
                       const comm::Traffic& before,
                       double seconds,
                       double io_seconds);

}  // namespace lockstep::runtime
