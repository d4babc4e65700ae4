#include "lockstep/app/doctor.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <fstream>
#include <numeric>
#include <sstream>

#include <sys/statvfs.h>
#include <unistd.h>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "app/doctor_advice.hpp"
#include "app/measure.hpp"
#include "app/rl/train/memory.hpp"

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
    for (const auto& launcher : launchers) {
        if (environment(launcher.variable)) {
            return launcher.name;
        }
    }
    return "none";
}

std::int64_t free_shared_memory() {
    struct statvfs state {};
    if (::statvfs("/dev/shm", &state) != 0) {
        return 0;
    }
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

// The load says what was there for a minute, the count of what runs that it still is.
double threads_of_others(const std::string& loadavg, int own) {
    std::istringstream words(loadavg);
    auto load = 0.0;
    auto longer = 0.0;
    auto running = 0;
    words >> load >> longer >> longer >> running;
    return std::max(0.0, std::min(load, static_cast<double>(running - own)));
}

std::string loadavg() {
    std::ostringstream text;
    text << std::ifstream("/proc/loadavg").rdbuf();
    return text.str();
}

// How many CPUs the ranks of a node may use together.
int distinct_cpus(comm::Communicator& node, const std::vector<int>& own) {
    constexpr auto bits = 64;
    const auto highest = own.empty() ? 0 : own.back();
    std::vector<std::uint64_t> mask(
        static_cast<std::size_t>(node.allreduce(highest, comm::ReduceOp::max) / bits + 1));
    for (const auto cpu : own) {
        mask[at(cpu / bits)] |= std::uint64_t{1} << cpu % bits;
    }
    node.allreduce(std::span<std::uint64_t>(mask), comm::ReduceOp::bit_or);
    return std::accumulate(mask.begin(), mask.end(), 0, [](int count, std::uint64_t word) {
        return count + std::popcount(word);
    });
}

std::vector<RankSeen> look_at_ranks(comm::Communicator& ranks,
                                    const runtime::Topology& topology,
                                    const std::string& load_before) {
    struct Figures {
        double clock_ms;
        double others;
        std::int64_t host_cpus;
        std::int64_t machine_cpus;
        std::int64_t cpus;
        std::int64_t threads;
        std::int64_t numa_nodes;
        std::int64_t sharing_ranks;
    };
    const auto node = ranks.split_local();
    const int threads = runtime::fair_threads(*node);
    const auto host_cpus = distinct_cpus(*node, topology.allowed_cpus);
    ranks.barrier();
    const Figures own{now_ms(),
                      threads_of_others(load_before, node->size()),
                      host_cpus,
                      ::sysconf(_SC_NPROCESSORS_ONLN),
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
        const auto& figures = all[at(rank)];
        seen.push_back({ranks.host(rank),
                        static_cast<int>(figures.cpus),
                        static_cast<int>(figures.host_cpus),
                        static_cast<int>(figures.machine_cpus),
                        figures.others,
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
        if (is_known) {
            continue;
        }
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

void add_tables(Diagnosis& diagnosis) {
    constexpr int actions = 4;
    constexpr int many = 1'000'000;
    const auto states = [&](rl::Mode mode, int threads) {
        rl::LearnOptions options;
        options.mode = mode;
        return diagnosis.memory_bytes /
               (memory_of_training(many, actions, options, threads) / many);
    };
    diagnosis.memory_bytes = runtime::usable_memory();
    diagnosis.serial_states = states(rl::Mode::serial, 1);
    diagnosis.states = states(rl::Mode::threads, diagnosis.ranks.front().threads);
}

}  // namespace

Diagnosis diagnose(comm::Communicator& ranks, const comm::Environment& environment) {
    const auto load_before = loadavg();  // ranks that wait for each other run, too
    Diagnosis diagnosis;
    diagnosis.launcher = launcher_of(environment);
    diagnosis.backend = ranks.backend();
    diagnosis.library = ranks.library();
    diagnosis.topology = runtime::topology();
    diagnosis.shm_bytes = free_shared_memory();
    diagnosis.ranks = look_at_ranks(ranks, diagnosis.topology, load_before);
    add_tables(diagnosis);
    diagnosis.backends = look_at_backends(ranks);
    add_others(diagnosis.backends);
    diagnosis.advice = advice_for(diagnosis);
    return diagnosis;
}

io::Json to_json(const Diagnosis& diagnosis) {
    using io::Json;
    const auto& topology = diagnosis.topology;
    auto ranks = Json::array();
    for (const auto& rank : diagnosis.ranks) {
        ranks.push(Json::Object{{"host", rank.host},
                                {"cpus", rank.cpus},
                                {"host_cpus", rank.host_cpus},
                                {"machine_cpus", rank.machine_cpus},
                                {"threads_of_others", rank.others},
                                {"threads", rank.threads},
                                {"numa_nodes", rank.numa_nodes},
                                {"sharing_ranks", rank.sharing_ranks},
                                {"clock_skew_ms", rank.clock_skew_ms}});
    }
    auto backends = Json::array();
    for (const auto& seen : diagnosis.backends) {
        auto exchanges = Json::array();
        for (const auto& exchange : seen.exchanges) {
            exchanges.push(Json::Object{{"bytes", exchange.bytes},
                                        {"microseconds", exchange.microseconds},
                                        {"gigabytes_per_second", exchange.gigabytes_per_second}});
        }
        backends.push(Json::Object{{"name", seen.name},
                                   {"built", seen.is_built},
                                   {"problem", seen.problem},
                                   {"ranks", seen.ranks},
                                   {"barrier_microseconds", seen.barrier_us},
                                   {"allgatherv", std::move(exchanges)}});
    }
    auto advice = Json::array();
    for (const auto& sentence : diagnosis.advice) {
        advice.push(sentence);
    }
    return Json::Object{
        {"launcher", diagnosis.launcher},
        {"backend", diagnosis.backend},
        {"library", diagnosis.library},
        {"allowed_cpus", static_cast<std::int64_t>(topology.allowed_cpus.size())},
        {"quota_cpus", topology.quota ? Json(*topology.quota) : Json()},
        {"packages", topology.packages},
        {"numa_nodes", topology.numa_nodes},
        {"cores", topology.cores},
        {"shm_free_bytes", diagnosis.shm_bytes},
        {"memory_bytes", diagnosis.memory_bytes},
        {"largest_table_states",
         Json::Object{{"threads", diagnosis.states}, {"serial", diagnosis.serial_states}}},
        {"ranks", std::move(ranks)},
        {"backends", std::move(backends)},
        {"advice", std::move(advice)}};
}

}  // namespace lockstep::app
