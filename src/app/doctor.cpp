#include "lockstep/app/doctor.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "lockstep/runtime/thread_team.hpp"

#include "app/measure.hpp"

namespace lockstep::app {
namespace {

using comm::BackendKind;

struct Launcher {
    const char* variable;
    const char* name;
};

// The first that is set names the launcher.
constexpr Launcher launchers[] = {
    {"LOCKSTEP_LAUNCHER_PID", "lockstep launch"},
    {"OMPI_COMM_WORLD_SIZE", "Open MPI (mpirun)"},
    {"SLURM_STEP_ID", "Slurm (srun)"},
    {"PMI_SIZE", "MPICH (Hydra)"},
    {"PMIX_RANK", "PMIx"},
    {"JOB_COMPLETION_INDEX", "Kubernetes indexed job"},
};

std::string launcher_of(const comm::Environment& environment) {
    for (const auto& launcher : launchers)
        if (environment(launcher.variable))
            return launcher.name;
    return "none";
}

std::int64_t free_shared_memory() {
    struct statvfs state {};
    if (::statvfs("/dev/shm", &state) != 0)
        return 0;
    return static_cast<std::int64_t>(state.f_bavail) * static_cast<std::int64_t>(state.f_frsize);
}

double now_ms() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

// Tried with a region as a run makes them.
bool shares_memory(comm::Communicator& node) {
    constexpr std::size_t probe = std::size_t{1} << 20;
    try {
        return node.create_region(probe)->is_shared();
    } catch (const IoError&) {
        return false;
    }
}

std::vector<RankSeen> look_at_ranks(comm::Communicator& ranks, const runtime::Topology& topology) {
    struct Figures {
        double clock_ms;
        std::int64_t cpus;
        std::int64_t threads;
        std::int64_t numa_nodes;
        std::int64_t sharing_ranks;
    };
    const auto node = ranks.split_local();
    const int threads = runtime::fair_threads(*node);
    ranks.barrier();
    const Figures own{now_ms(),
                      static_cast<std::int64_t>(topology.allowed_cpus.size()),
                      threads,
                      static_cast<std::int64_t>(topology.own_numa_nodes.size()),
                      shares_memory(*node) ? node->size() : 1};
    std::vector<Figures> all(static_cast<std::size_t>(ranks.size()));
    ranks.allgatherv(std::span<const Figures>(&own, 1),
                     std::span<Figures>(all),
                     comm::Layout::blocks(ranks.size(), 1, ranks.size()));
    std::vector<RankSeen> seen;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        const auto& figures = all[static_cast<std::size_t>(rank)];
        seen.push_back({ranks.host(rank),
                        static_cast<int>(figures.cpus),
                        static_cast<int>(figures.threads),
                        static_cast<int>(figures.numa_nodes),
                        static_cast<int>(figures.sharing_ranks),
                        figures.clock_ms - all.front().clock_ms});
    }
    return seen;
}

std::vector<BackendSeen> look_at_backends(comm::Communicator& ranks) {
    std::vector<BackendSeen> backends;
    const auto add = [&](BackendSeen seen, const char* name) {
        seen.name = name;
        backends.push_back(std::move(seen));
    };
    if (ranks.size() > 1) {
        BackendSeen own;
        own.is_built = true;
        measure(ranks, own);
        add(std::move(own), std::string(ranks.backend()).c_str());
    } else {
        add(measure_on_threads(BackendKind::shm), "shm");
        add(measure_on_threads(BackendKind::tcp), "tcp");
    }
    return backends;
}

// Backends that were not measured: whether they are there.
void add_others(std::vector<BackendSeen>& backends) {
    const std::pair<const char*, BackendKind> all[] = {
        {"shm", BackendKind::shm}, {"tcp", BackendKind::tcp}, {"mpi", BackendKind::mpi}};
    for (const auto& [name, kind] : all) {
        const bool is_known =
            std::any_of(backends.begin(), backends.end(), [&, &wanted = name](const auto& seen) {
                return seen.name == wanted;
            });
        if (is_known)
            continue;
        BackendSeen seen;
        seen.name = name;
        seen.is_built = comm::is_built(kind);
        if (kind == BackendKind::mpi && seen.is_built) {
            const auto plugins = comm::mpi_plugins();
            seen.is_built = !plugins.empty();
            seen.problem = plugins.empty() ? "no plug-in is beside the program" : "";
        }
        backends.push_back(std::move(seen));
    }
}

// Threads that run on a host against CPUs that its ranks may use.
void advise_on_cpus(const Diagnosis& diagnosis, std::vector<std::string>& advice) {
    const auto& first = diagnosis.ranks.front();
    const auto on_host = std::count_if(diagnosis.ranks.begin(),
                                       diagnosis.ranks.end(),
                                       [&](const auto& rank) { return rank.host == first.host; });
    if (on_host > first.cpus)
        advice.push_back(fmt::format(
            "{} ranks share {} CPUs of {}: start fewer ranks", on_host, first.cpus, first.host));
    const auto& topology = diagnosis.topology;
    const auto allowed = static_cast<double>(topology.allowed_cpus.size());
    if (topology.quota && *topology.quota < allowed)
        advice.push_back(
            fmt::format("control groups grant {:.1f} of {:.0f} CPUs: threads beyond "
                        "that only wait",
                        *topology.quota,
                        allowed));
    if (topology.own_numa_nodes.size() > 1 && on_host == 1)
        advice.push_back(fmt::format(
            "one rank spans {} NUMA nodes: start one rank a node, bound to it (mpirun --map-by "
            "numa, srun --cpu-bind=ldoms)",
            topology.own_numa_nodes.size()));
}

void advise_on_environment(const Diagnosis& diagnosis, std::vector<std::string>& advice) {
    constexpr std::int64_t docker_default = std::int64_t{64} << 20;
    if (diagnosis.shm_bytes <= docker_default)
        advice.push_back(fmt::format(
            "/dev/shm has {:.0f} MB free: enlarge it (docker run --shm-size=1g; Kubernetes: a "
            "memory emptyDir on /dev/shm)",
            static_cast<double>(diagnosis.shm_bytes) / 1e6));
    if (diagnosis.launcher != "none" && diagnosis.ranks.size() == 1)
        advice.push_back(fmt::format(
            "{} is there but this program sees one rank: check that its MPI is the one of the "
            "plug-in (LOCKSTEP_MPI_FLAVOUR), or set LOCKSTEP_EXPECT_RANKS",
            diagnosis.launcher));
    const auto late =
        std::any_of(diagnosis.ranks.begin(), diagnosis.ranks.end(), [](const auto& rank) {
            return std::abs(rank.clock_skew_ms) > 1e3;
        });
    if (late)
        advice.emplace_back(
            "clocks differ by more than a second: times in outputs will, too; "
            "results do not depend on clocks");
}

}  // namespace

Diagnosis diagnose(comm::Communicator& ranks, const comm::Environment& environment) {
    Diagnosis diagnosis;
    diagnosis.launcher = launcher_of(environment);
    diagnosis.backend = ranks.backend();
    diagnosis.library = ranks.library();
    diagnosis.topology = runtime::topology();
    diagnosis.shm_bytes = free_shared_memory();
    diagnosis.ranks = look_at_ranks(ranks, diagnosis.topology);
    diagnosis.backends = look_at_backends(ranks);
    add_others(diagnosis.backends);
    advise_on_cpus(diagnosis, diagnosis.advice);
    advise_on_environment(diagnosis, diagnosis.advice);
    return diagnosis;
}

io::Json to_json(const Diagnosis& diagnosis) {
    using io::Json;
    const auto& topology = diagnosis.topology;
    auto ranks = Json::array();
    for (const auto& rank : diagnosis.ranks)
        ranks.push(Json::Object{{"host", rank.host},
                                {"cpus", rank.cpus},
                                {"threads", rank.threads},
                                {"numa_nodes", rank.numa_nodes},
                                {"sharing_ranks", rank.sharing_ranks},
                                {"clock_skew_ms", rank.clock_skew_ms}});
    auto backends = Json::array();
    for (const auto& seen : diagnosis.backends) {
        auto exchanges = Json::array();
        for (const auto& exchange : seen.exchanges)
            exchanges.push(Json::Object{{"bytes", exchange.bytes},
                                        {"microseconds", exchange.microseconds},
                                        {"gigabytes_per_second", exchange.gigabytes_per_second}});
        backends.push(Json::Object{{"name", seen.name},
                                   {"built", seen.is_built},
                                   {"problem", seen.problem},
                                   {"ranks", seen.ranks},
                                   {"barrier_microseconds", seen.barrier_us},
                                   {"allgatherv", std::move(exchanges)}});
    }
    auto advice = Json::array();
    for (const auto& sentence : diagnosis.advice)
        advice.push(sentence);
    return Json::Object{{"launcher", diagnosis.launcher},
                        {"backend", diagnosis.backend},
                        {"library", diagnosis.library},
                        {"allowed_cpus", static_cast<std::int64_t>(topology.allowed_cpus.size())},
                        {"quota_cpus", topology.quota ? Json(*topology.quota) : Json()},
                        {"packages", topology.packages},
                        {"numa_nodes", topology.numa_nodes},
                        {"cores", topology.cores},
                        {"shm_free_bytes", diagnosis.shm_bytes},
                        {"ranks", std::move(ranks)},
                        {"backends", std::move(backends)},
                        {"advice", std::move(advice)}};
}

}  // namespace lockstep::app
