#pragma once

#include "lockstep/runtime/topology.hpp"

namespace lockstep::runtime {

/// Adds packages, NUMA nodes and cores, where this build can tell them.
void add_machine(Topology& topology);

}  // namespace lockstep::runtime
