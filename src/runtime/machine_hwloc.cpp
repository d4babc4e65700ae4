#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include <hwloc.h>

#include "runtime/machine.hpp"

namespace lockstep::runtime {
namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Handle load() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) {
        return nullptr;
    }
    Handle handle(topology);
    // The whole machine, so that it can be compared with what this process may use of it.
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    return hwloc_topology_load(topology) == 0 ? std::move(handle) : nullptr;
}

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
    return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

bool holds_any(hwloc_const_cpuset_t set, const std::vector<int>& cpus) {
    return std::any_of(cpus.begin(), cpus.end(), [&](int cpu) {
        return hwloc_bitmap_isset(set, static_cast<unsigned>(cpu)) != 0;
    });
}

}  // namespace

void add_machine(Topology& topology) {
    const auto machine = load();
    if (!machine) {
        return;
    }
    topology.packages = count(machine.get(), HWLOC_OBJ_PACKAGE);
    topology.cores = count(machine.get(), HWLOC_OBJ_CORE);
    topology.numa_nodes = count(machine.get(), HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < topology.numa_nodes; ++i) {
        const auto* node =
            hwloc_get_obj_by_type(machine.get(), HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
        if (node != nullptr && node->cpuset != nullptr &&
            holds_any(node->cpuset, topology.allowed_cpus)) {
            topology.own_numa_nodes.push_back(static_cast<int>(node->os_index));
        }
    }
}

}  // namespace lockstep::runtime
