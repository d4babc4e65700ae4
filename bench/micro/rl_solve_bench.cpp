// Exact solution of large processes. Prints a line for each: CPU seconds of building the rows and
// of solving, sweeps, the proven half width, memory.
//
// usage: bench_rl_solve [THREADS [NAME…]]   without names: all but the largest
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "lockstep/rl/environments/generated_rows.hpp"
#include "lockstep/rl/environments/open_grid.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/worlds.hpp"

namespace {

using namespace lockstep;

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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

void report(const std::string& name,
            const rl::RowSource& source,
            bool is_stored,
            const rl::SolveOptions& options,
            runtime::ThreadTeam& team) {
    rl::SolveObserver observer;
    const double start = cpu_seconds();
    const double wall = wall_seconds();
    double built = start;
    const rl::Solution solution = [&] {
        if (!is_stored) {
            return rl::solve(source, {}, options, team, observer);
        }
        const rl::RowTable table(source, team);
        built = cpu_seconds();
        return rl::solve(table, {}, options, team, observer);
    }();
    std::printf(
        "%-22s %8.2f s CPU, rows %6.2f s, %8.2f s wall, %6lld sweeps, V(0) %.9f +- %.1e, "
        "%s, peak %.2f GiB\n",
        name.c_str(),
        cpu_seconds() - start,
        built - start,
        wall_seconds() - wall,
        static_cast<long long>(solution.sweeps),
        solution.value.front(),
        solution.half_width,
        std::string(to_string(solution.ending)).c_str(),
        peak_gib());
}

struct Case {
    std::string name;
    bool is_large;
    std::function<void(const std::string&, runtime::ThreadTeam&)> run;
};

std::vector<Case> cases() {
    return {
        {"garnet-1000",
         false,
         [](const std::string& name, runtime::ThreadTeam& team) {
             report(name, test::Garnet(1000, 4, 5, 7), true, options(0.99, 1e-9), team);
         }},
        {"walled-90000",
         false,
         [](const std::string& name, runtime::ThreadTeam& team) {
             report(name, test::Grid(300, true, 0.15), true, options(0.9999, 1e-6), team);
         }},
        {"garnet-1000000",
         true,
         [](const std::string& name, runtime::ThreadTeam& team) {
             report(name, test::Garnet(1'000'000, 4, 3, 7), true, options(0.9, 1e-8), team);
         }},
        {"walled-1000000",
         true,
         [](const std::string& name, runtime::ThreadTeam& team) {
             report(name, test::Grid(1000, true, 0.15), true, options(0.9999, 1e-6), team);
         }},
        {"open-1048576",
         true,
         [](const std::string& name, runtime::ThreadTeam& team) {
             report(name, rl::GeneratedRows(rl::OpenGrid(1024)), false, options(1, 1e-6), team);
         }},
        {"open-16777216",
         true,
         [](const std::string& name, runtime::ThreadTeam& team) {
             report(name, rl::GeneratedRows(rl::OpenGrid(4096)), false, options(1, 1e-6), team);
         }},
    };
}

bool is_asked(const Case& one, int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
        if (one.name == argv[i]) {
            return true;
        }
    }
    return argc < 3 && !one.is_large;
}

}  // namespace

int main(int argc, char** argv) {
    runtime::ThreadTeam team(argc > 1 ? std::atoi(argv[1]) : 1);
    for (const Case& one : cases()) {
        if (is_asked(one, argc, argv)) {
            one.run(one.name, team);
        }
    }
}
