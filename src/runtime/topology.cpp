#include "lockstep/runtime/topology.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include <sched.h>
#include <unistd.h>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "runtime/control_groups.hpp"
#include "runtime/machine.hpp"

namespace lockstep::runtime {
namespace {

std::vector<int> allowed_cpus() {
    cpu_set_t allowed;
    std::vector<int> cpus;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) {
                cpus.push_back(cpu);
            }
        }
        return cpus;
    }
    // More than 1024 CPUs do not fit the mask.
    cpus.resize(std::max(1U, std::thread::hardware_concurrency()));
    for (std::size_t i = 0; i < cpus.size(); ++i) {
        cpus[i] = static_cast<int>(i);
    }
    return cpus;
}

constexpr auto control_groups = "/sys/fs/cgroup";

std::string membership() {
    std::ostringstream text;
    text << std::ifstream("/proc/self/cgroup").rdbuf();
    return text.str();
}

std::optional<double> granted_cpus() {
    return cpu_quota(control_groups, membership());
}

std::int64_t memory_of_machine() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto bytes = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? std::int64_t{pages} * bytes : 0;
}

// The CPU lists of all ranks, on every rank.
std::vector<std::vector<int>> gather_cpus(comm::Communicator& node, const std::vector<int>& own) {
    const auto ranks = static_cast<std::size_t>(node.size());
    const auto one_each = comm::Layout::blocks(node.size(), 1, node.size());
    std::vector<std::int64_t> counts(ranks);
    const auto count = static_cast<std::int64_t>(own.size());
    node.allgatherv(
        std::span<const std::int64_t>(&count, 1), std::span<std::int64_t>(counts), one_each);
    const comm::Layout layout(counts);
    std::vector<int> all(static_cast<std::size_t>(layout.extent()));
    node.allgatherv(std::span<const int>(own), std::span<int>(all), layout);
    std::vector<std::vector<int>> lists;
    for (int rank = 0; rank < node.size(); ++rank) {
        const auto begin = all.begin() + layout.offset(rank);
        lists.emplace_back(begin, begin + layout.count(rank));
    }
    return lists;
}

}  // namespace

int usable_cpus() {
    return fair_share({allowed_cpus()}, 0, granted_cpus());
}

std::int64_t usable_memory() {
    const auto machine = memory_of_machine();
    const auto limit = memory_limit(control_groups, membership());
    return limit && (machine == 0 || *limit < machine) ? *limit : machine;
}

Topology topology() {
    Topology topology;
    topology.allowed_cpus = allowed_cpus();
    topology.quota = granted_cpus();
    add_machine(topology);
    return topology;
}

int fair_share(const std::vector<std::vector<int>>& cpus, int rank, std::optional<double> quota) {
    std::map<int, int> sharers;
    for (const auto& list : cpus) {
        for (const int cpu : list) {
            ++sharers[cpu];
        }
    }
    double share = 0;
    for (const int cpu : cpus[at(rank)]) {
        share += 1.0 / sharers[cpu];
    }
    const auto whole = static_cast<int>(std::floor(share + 1e-9));
    const double granted = quota ? std::ceil(*quota / static_cast<double>(cpus.size())) : whole;
    return std::max(1, std::min(whole, static_cast<int>(granted)));
}

int fair_threads(comm::Communicator& node) {
    return fair_share(gather_cpus(node, allowed_cpus()), node.rank(), granted_cpus());
}

}  // namespace lockstep::runtime
