#include "lockstep/app/doctor.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/build_info.hpp"
#include "lockstep/comm/process_environment.hpp"

#include "common_commands.hpp"
#include "json_lines.hpp"
#include "ranks.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

std::string line(std::string_view name, const std::string& value) {
    return fmt::format("{:<12}{}\n", name, value);
}

std::string counted(int number, const char* what) {
    return number == 0 ? std::string() : ", " + app::plural(number, what);
}

std::string bytes_text(std::int64_t bytes) {
    if (bytes >= 1 << 20) {
        return fmt::format("{} MB", bytes >> 20);
    }
    return bytes >= 1 << 10 ? fmt::format("{} kB", bytes >> 10) : fmt::format("{} B", bytes);
}

std::string libraries_text() {
    std::string text;
    for (const auto& library : build_info().libraries) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", library.name, library.version);
    }
    return text;
}

std::string machine_text(const app::Diagnosis& diagnosis) {
    const auto& topology = diagnosis.topology;
    auto cpus = app::plural(static_cast<int>(topology.allowed_cpus.size()), "CPU") + " allowed";
    if (topology.quota) {
        cpus += fmt::format(", quota {:.1f}", *topology.quota);
    }
    cpus += counted(topology.cores, "core") + counted(topology.packages, "package") +
            counted(topology.numa_nodes, "NUMA node");
    if (const auto others = diagnosis.ranks.front().others; others >= 0.5) {
        cpus += fmt::format(", {:.0f} threads of other programs", others);
    }
    return line("machine", cpus) + line("/dev/shm", bytes_text(diagnosis.shm_bytes) + " free") +
           line("libraries", libraries_text());
}

// Each group of ranks that share memory holds one copy of the cuts.
std::string sharing_text(const app::Diagnosis& diagnosis) {
    double copies = 0;
    for (const auto& rank : diagnosis.ranks) {
        copies += 1.0 / rank.sharing_ranks;
    }
    const auto ranks = static_cast<double>(diagnosis.ranks.size());
    if (copies > ranks - 0.5) {
        return "each rank holds its own copy of the cuts";
    }
    return fmt::format("{:.0f} of {:.0f} copies of the cuts are held: of each GB, {:.0f} GB saved",
                       copies,
                       ranks,
                       ranks - copies);
}

std::string ranks_text(const app::Diagnosis& diagnosis) {
    auto text = line("launcher", diagnosis.launcher);
    text += line("backend",
                 diagnosis.backend + (diagnosis.library.empty() ? "" : ", " + diagnosis.library));
    for (std::size_t rank = 0; rank < diagnosis.ranks.size(); ++rank) {
        const auto& seen = diagnosis.ranks[rank];
        text += line(fmt::format("rank {}", rank),
                     fmt::format("{}, {}, {} in a run{}, clock {:+.1f} ms",
                                 seen.host,
                                 app::plural(seen.cpus, "CPU"),
                                 app::plural(seen.threads, "thread"),
                                 counted(seen.numa_nodes, "NUMA node"),
                                 seen.clock_skew_ms));
    }
    if (diagnosis.ranks.size() > 1) {
        text += line("memory", sharing_text(diagnosis));
    }
    return text;
}

std::string backend_text(const app::BackendSeen& seen) {
    if (!seen.is_built) {
        return line(seen.name, seen.problem.empty() ? "not part of this build" : seen.problem);
    }
    if (!seen.problem.empty()) {
        return line(seen.name, "not usable: " + seen.problem);
    }
    if (seen.exchanges.empty()) {
        return line(seen.name, "built");
    }
    auto text = line(
        seen.name,
        fmt::format(
            "{}: barrier {:.1f} us; allgatherv", app::plural(seen.ranks, "rank"), seen.barrier_us));
    for (const auto& exchange : seen.exchanges) {
        text += fmt::format("{:>18}{:>14.1f} us{:>10.2f} GB/s\n",
                            bytes_text(exchange.bytes),
                            exchange.microseconds,
                            exchange.gigabytes_per_second);
    }
    return text;
}

std::string tables_text(const app::Diagnosis& diagnosis) {
    const auto millions = [](std::int64_t states) {
        return app::count(states / 1'000'000) + " million";
    };
    return line("tables",
                fmt::format("{} fit {} states of 4 actions in 'rl train', {} in mode serial",
                            bytes_text(diagnosis.memory_bytes),
                            millions(diagnosis.states),
                            millions(diagnosis.serial_states)));
}

std::string text_of(const app::Diagnosis& diagnosis) {
    auto text = ranks_text(diagnosis) + machine_text(diagnosis) + tables_text(diagnosis) + "\n";
    for (const auto& seen : diagnosis.backends) {
        text += backend_text(seen);
    }
    text += diagnosis.advice.empty() ? "\nNothing to change.\n" : "\nWhat to change\n";
    for (const auto& sentence : diagnosis.advice) {
        text += "  - " + sentence + "\n";
    }
    return text;
}

}  // namespace

int execute(const DoctorCommand& command) {
    return on_ranks(command.backend, command.voice, [&](comm::Communicator& ranks) {
        const auto diagnosis = app::diagnose(ranks, comm::process_environment());
        if (ranks.rank() != 0) {
            return 0;
        }
        if (command.voice.json) {
            print_line(app::to_json(diagnosis));
        } else {
            print(text_of(diagnosis));
        }
        return 0;
    });
}

}  // namespace lockstep::cli
