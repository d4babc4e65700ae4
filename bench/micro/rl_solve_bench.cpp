// Exact solution of large processes. Prints a line for each: CPU seconds of building the rows and
// of solving, sweeps, the proven half width, memory.
//
// usage: bench_rl_solve [--ranks RANKS] [THREADS [NAME…]]   without names: all but the largest
//
// --ranks divides the states among so many ranks of this process, each with so many threads, and
// prints the digest of the values, which must not depend on either; gamma must be below 1.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/environments/generated_rows.hpp"
#include "lockstep/rl/environments/open_grid.hpp"
#include "lockstep/rl/solve.hpp"

#include "cpu_time.hpp"
#include "support/rl/worlds.hpp"

namespace {

using namespace lockstep;

double wall_seconds() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double peak_gib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

rl::SolveOptions options(double gamma, double tolerance) {
    rl::SolveOptions options;
    options.gamma = gamma;
    options.tolerance = tolerance;
    return options;
}

struct Team {
    int threads = 1;
    int ranks = 0;  ///< 0: states are not divided
};

struct Clock {
    double cpu = cpu_seconds();
    double wall = wall_seconds();
};

void print(const std::string& name,
           const Clock& start,
           double built,
           const rl::Solution& solution,
           const std::string& more) {
    std::printf(
        "%-22s %8.3f s CPU, rows %7.3f s, %8.3f s wall, %6lld sweeps, V(0) %.9f +- %.1e, "
        "%s, peak %.2f GiB%s\n",
        name.c_str(),
        cpu_seconds() - start.cpu,
        built - start.cpu,
        wall_seconds() - start.wall,
        static_cast<long long>(solution.sweeps),
        solution.value.front(),
        solution.half_width,
        std::string(to_string(solution.ending)).c_str(),
        peak_gib(),
        more.c_str());
}

void report_divided(const std::string& name,
                    const rl::RowSource& source,
                    const rl::SolveOptions& options,
                    const Team& team) {
    const Clock start;
    comm::run_in_process(team.ranks, [&](comm::Communicator& ranks) {
        runtime::ThreadTeam threads(team.threads);
        runtime::Team own{ranks, threads};
        rl::SolveObserver observer;
        const rl::Solution solution = rl::solve(source, options, own, observer);
        ranks.barrier();
        if (ranks.rank() == 0) {
            DigestBuilder digest;
            digest.add(solution.value);
            print(name, start, start.cpu, solution, ", values " + to_string(digest.digest()));
        }
    });
}

void report(const std::string& name,
            const rl::RowSource& source,
            bool is_stored,
            const rl::SolveOptions& options,
            const Team& team) {
    if (team.ranks > 0) {
        report_divided(name, source, options, team);
        return;
    }
    runtime::ThreadTeam threads(team.threads);
    rl::SolveObserver observer;
    const Clock start;
    if (!is_stored) {
        print(name, start, start.cpu, rl::solve(source, {}, options, threads, observer), "");
        return;
    }
    const rl::RowTable table(source, threads);
    const double built = cpu_seconds();
    print(name, start, built, rl::solve(table, {}, options, threads, observer), "");
}

struct Case {
    std::string name;
    bool is_large;
    std::function<void(const std::string&, const Team&)> run;
};

std::vector<Case> cases() {
    return {
        {"garnet-1000",
         false,
         [](const std::string& name, const Team& team) {
             report(name, test::Garnet(1000, 4, 5, 7), true, options(0.99, 1e-9), team);
         }},
        {"walled-90000",
         false,
         [](const std::string& name, const Team& team) {
             report(name, test::Grid(300, true, 0.15), true, options(0.9999, 1e-6), team);
         }},
        {"garnet-1000000",
         true,
         [](const std::string& name, const Team& team) {
             report(name, test::Garnet(1'000'000, 4, 3, 7), true, options(0.9, 1e-8), team);
         }},
        {"garnet-10000000",
         true,
         [](const std::string& name, const Team& team) {
             report(name, test::Garnet(10'000'000, 4, 3, 7), true, options(0.9, 1e-8), team);
         }},
        {"walled-1000000",
         true,
         [](const std::string& name, const Team& team) {
             report(name, test::Grid(1000, true, 0.15), true, options(0.9999, 1e-6), team);
         }},
        {"open-1048576",
         true,
         [](const std::string& name, const Team& team) {
             report(name, rl::GeneratedRows(rl::OpenGrid(1024)), false, options(1, 1e-6), team);
         }},
        {"open-16777216",
         true,
         [](const std::string& name, const Team& team) {
             report(name, rl::GeneratedRows(rl::OpenGrid(4096)), false, options(1, 1e-6), team);
         }},
    };
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    Team team;
    if (words.size() > 1 && words[0] == "--ranks") {
        team.ranks = std::stoi(words[1]);
        words.erase(words.begin(), words.begin() + 2);
    }
    if (!words.empty()) {
        team.threads = std::stoi(words[0]);
        words.erase(words.begin());
    }
    for (const Case& one : cases()) {
        const bool is_named = std::find(words.begin(), words.end(), one.name) != words.end();
        if (is_named || (words.empty() && !one.is_large)) {
            one.run(one.name, team);
        }
    }
}
