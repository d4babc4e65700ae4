#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// What this process may use of its machine.
struct Topology {
    std::vector<int> allowed_cpus;  ///< by the affinity mask, ascending
    std::optional<double> quota;    ///< CPUs that control groups grant, when less than all
    int packages = 0;               ///< of the machine; 0: not known (built without hwloc)
    int numa_nodes = 0;
    int cores = 0;
    std::vector<int> own_numa_nodes;  ///< that hold the allowed CPUs
};

Topology topology();

/// Memory that this process may use: the machine's, cut by its control groups; 0: not known.
/// [bytes]
std::int64_t usable_memory();

/// Threads for this rank when nobody says: the CPUs that it may use, those that ranks of its node
/// share divided among them, at least 1.
/// @param node  from Communicator::split_local. Collective over it.
int fair_threads(comm::Communicator& node);

/// As fair_threads, from the CPU lists of all ranks of a node.
/// @param quota  CPUs that the node's ranks may use together; nothing: no limit
int fair_share(const std::vector<std::vector<int>>& cpus, int rank, std::optional<double> quota);

}  // namespace lockstep::runtime
