#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/formats/records/setting.hpp"

namespace lockstep::formats {

/// Circumstances of a run: where, when and with what it ran. They are written beside results and
/// are no part of any digest.
struct RunRecord {
    std::string started_at;  ///< ISO 8601, UTC: "2026-01-31T12:00:00Z"
    std::string completed_at;
    std::vector<std::string> hosts;  ///< distinct host names, of the lowest rank first
    std::string backend = "local";   ///< communicator: local, shm, tcp, mpi
    int ranks = 1;                   ///< at the start
    int threads_per_rank = 1;
    std::string mpi_library;          ///< "" without MPI
    std::int64_t borrowed_bytes = 0;  ///< of the input, that ranks read in memory of others
    std::vector<Setting> settings;    ///< changes to the configuration, as given
    std::vector<std::string> warnings;
};

}  // namespace lockstep::formats
