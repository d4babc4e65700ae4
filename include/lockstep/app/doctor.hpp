#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/comm/launch.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/runtime/topology.hpp"

namespace lockstep::app {

/// What one rank sees.
struct RankSeen {
    std::string host;
    int cpus = 0;              ///< that it may use
    int host_cpus = 0;         ///< that the ranks of its host may use together
    int machine_cpus = 0;      ///< that its host has
    double others = 0;         ///< threads of other programs that its host runs; at most its load
    int threads = 0;           ///< that a run would take
    int numa_nodes = 0;        ///< that its CPUs belong to; 0: not known
    int sharing_ranks = 1;     ///< that hold cuts and tables in one memory, itself included
    double clock_skew_ms = 0;  ///< its clock minus rank 0's, give or take a message
};

/// An exchange of one size, median of many.
struct Exchange {
    std::int64_t bytes = 0;  ///< of each rank
    double microseconds = 0;
    double gigabytes_per_second = 0;  ///< that each rank receives
};

/// Exchanges between ranks over one backend.
struct BackendSeen {
    std::string name;
    bool is_built = false;
    std::string problem;  ///< why it cannot be used here; "": it can
    int ranks = 0;        ///< between which it was measured
    double barrier_us = 0;
    std::vector<Exchange> exchanges;
};

/// State of an installation and of the ranks that it was started with.
struct Diagnosis {
    std::string launcher;  ///< "Open MPI", "Slurm", "lockstep launch", …; "none"
    std::string backend;
    std::string library;  ///< MPI flavour and version
    runtime::Topology topology;
    std::int64_t shm_bytes = 0;      ///< free in /dev/shm
    std::int64_t memory_bytes = 0;   ///< that this process may use; 0: not known
    std::int64_t serial_states = 0;  ///< of the largest table with four actions, mode serial
    std::int64_t states = 0;         ///< the same in mode threads with the threads of a run
    std::vector<RankSeen> ranks;
    std::vector<BackendSeen> backends;
    std::vector<std::string> advice;  ///< what to change
};

/// Looks at machine, launcher and backends and measures them between the ranks that there are; with
/// one rank alone, between two threads that act as ranks. Collective.
Diagnosis diagnose(comm::Communicator& ranks, const comm::Environment& environment);

io::Json to_json(const Diagnosis& diagnosis);

}  // namespace lockstep::app
