#include "app/doctor_advice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

namespace lockstep::app {
namespace {

using Advice = std::vector<std::string>;

/// The ranks of one host, and what they share.
struct Host {
    const RankSeen* first = nullptr;
    int ranks = 0;
    int threads = 0;
};

std::vector<Host> hosts_of(const Diagnosis& diagnosis) {
    std::vector<Host> hosts;
    for (const auto& rank : diagnosis.ranks) {
        auto host = std::find_if(hosts.begin(), hosts.end(), [&](const Host& other) {
            return other.first->host == rank.host;
        });
        if (host == hosts.end()) {
            host = hosts.insert(hosts.end(), {&rank});
        }
        ++host->ranks;
        host->threads += rank.threads;
    }
    return hosts;
}

// A launcher may have given each rank CPUs of its own: what counts is what they have together.
void advise_on_cpus(const Host& host, Advice& advice) {
    const auto& seen = *host.first;
    if (host.ranks > seen.host_cpus) {
        advice.push_back(fmt::format("{} ranks share {} of {}: start fewer ranks",
                                     host.ranks,
                                     plural(seen.host_cpus, "CPU"),
                                     seen.host));
    }
    constexpr auto noise = 0.5;  // of a machine that does nothing
    if (seen.others + host.threads > seen.machine_cpus + noise) {
        advice.push_back(fmt::format(
            "other programs run {:.0f} threads on the {} of {}, where a run would take {}: stop "
            "them, or take fewer threads (--threads); results stay the same, times do not",
            std::ceil(seen.others),
            plural(seen.machine_cpus, "CPU"),
            seen.host,
            host.threads));
    }
}

void advise_on_topology(const Diagnosis& diagnosis, Advice& advice) {
    const auto& topology = diagnosis.topology;
    const auto allowed = static_cast<double>(topology.allowed_cpus.size());
    if (topology.quota && *topology.quota < allowed) {
        advice.push_back(
            fmt::format("control groups grant {:.1f} of {:.0f} CPUs: threads beyond "
                        "that only wait",
                        *topology.quota,
                        allowed));
    }
    if (topology.own_numa_nodes.size() > 1 && hosts_of(diagnosis).front().ranks == 1) {
        advice.push_back(fmt::format(
            "one rank spans {} NUMA nodes: start one rank a node, bound to it (mpirun --map-by "
            "numa, srun --cpu-bind=ldoms)",
            topology.own_numa_nodes.size()));
    }
}

void advise_on_memory(const Diagnosis& diagnosis, Advice& advice) {
    constexpr std::int64_t docker_default = std::int64_t{64} << 20;
    if (diagnosis.shm_bytes <= docker_default) {
        advice.push_back(fmt::format(
            "/dev/shm has {:.0f} MB free: enlarge it (docker run --shm-size=1g; Kubernetes: a "
            "memory emptyDir on /dev/shm)",
            static_cast<double>(diagnosis.shm_bytes) / 1e6));
    }
}

void advise_on_launcher(const Diagnosis& diagnosis, Advice& advice) {
    if (diagnosis.launcher != "none" && diagnosis.ranks.size() == 1) {
        advice.push_back(fmt::format(
            "{} is there but this program sees one rank: check that its MPI is the one of the "
            "plug-in (LOCKSTEP_MPI_FLAVOUR), or set LOCKSTEP_EXPECT_RANKS",
            diagnosis.launcher));
    }
}

void advise_on_clocks(const Diagnosis& diagnosis, Advice& advice) {
    const auto late =
        std::any_of(diagnosis.ranks.begin(), diagnosis.ranks.end(), [](const auto& rank) {
            return std::abs(rank.clock_skew_ms) > 1e3;
        });
    if (late) {
        advice.emplace_back(
            "clocks differ by more than a second: times in outputs will, too; "
            "results do not depend on clocks");
    }
}

}  // namespace

std::vector<std::string> advice_for(const Diagnosis& diagnosis) {
    Advice advice;
    for (const auto& host : hosts_of(diagnosis)) {
        advise_on_cpus(host, advice);
    }
    advise_on_topology(diagnosis, advice);
    advise_on_memory(diagnosis, advice);
    advise_on_launcher(diagnosis, advice);
    advise_on_clocks(diagnosis, advice);
    return advice;
}

}  // namespace lockstep::app
