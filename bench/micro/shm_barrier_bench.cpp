// What waiting at the barrier of shared memory costs, with a core a rank or not, beside busy
// processes or none. usage: bench_shm_barrier [RANKS [BUSY-PROCESSES [ROUNDS]]]
//
// Prints the time of a bare barrier, and how much faster work that the ranks share between barriers
// gets than on one rank. LOCKSTEP_SHM_SPIN sets the tries before a rank sleeps. How to run it on a
// machine that is not free: thread_team_bench.cpp.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int barriers = 200;
constexpr int steps_of_all = 200'000;  // about half a millisecond on one rank

double work(int steps) {
    volatile double value = 1;
    for (int step = 0; step < steps; ++step) {
        value = value * 1.0000001;
    }
    return value;
}

pid_t in_a_process(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body();
        std::_Exit(0);
    }
    return child;
}

double microseconds_of(const std::function<void()>& round) {
    const auto start = Clock::now();
    round();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / barriers;
}

struct Figures {
    std::vector<double> bare;
    std::vector<double> alone;
    std::vector<double> shared;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double mean(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) {
        total += value;
    }
    return total / static_cast<double>(values.size());
}

void measure(lockstep::comm::Communicator& comm, int rounds, Figures& figures) {
    const auto repeat = [&](int steps, bool with_barrier) {
        return microseconds_of([&] {
            for (int i = 0; i < barriers; ++i) {
                work(steps);
                if (with_barrier) {
                    comm.barrier();
                }
            }
        });
    };
    for (int round = 0; round < rounds; ++round) {
        figures.bare.push_back(repeat(0, true));
        if (comm.rank() == 0) {
            figures.alone.push_back(repeat(steps_of_all, false));
        }
        comm.barrier();  // where the others sleep meanwhile
        figures.shared.push_back(repeat(steps_of_all / comm.size(), true));
    }
}

lockstep::comm::CommConfig config_of(const std::string& name, int rank, int ranks) {
    lockstep::comm::CommConfig config;
    config.backend = lockstep::comm::BackendKind::shm;
    config.shm.name = name;
    config.shm.rank = rank;
    config.shm.size = ranks;
    if (const char* spin = std::getenv("LOCKSTEP_SHM_SPIN")) {
        config.shm.spin = std::atoi(spin);
    }
    return config;
}

}  // namespace

int main(int count, char** arguments) {
    const int ranks = count > 1 ? std::atoi(arguments[1]) : 2;
    const int busy = count > 2 ? std::atoi(arguments[2]) : 0;
    const int rounds = count > 3 ? std::atoi(arguments[3]) : 20;
    double load = 0;
    getloadavg(&load, 1);
    std::vector<pid_t> children;
    for (int i = 0; i < busy; ++i) {
        children.push_back(in_a_process([] {
            for (;;) {
                work(steps_of_all);
            }
        }));
    }
    const auto name = "/lockstep-bench-" + std::to_string(getpid());
    Figures figures;
    const auto run = [&](int rank) {
        const auto comm = lockstep::comm::connect(config_of(name, rank, ranks));
        measure(*comm, rounds, figures);
    };
    for (int rank = 1; rank < ranks; ++rank) {
        children.push_back(in_a_process([&] { run(rank); }));
    }
    run(0);
    for (const pid_t child : children) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    std::printf(
        "%d ranks, %d busy processes beside, load of the machine before %.1f: bare barrier %.1f us "
        "(median %.1f); work shared by the ranks %.2f times as fast as on one (median %.2f)\n",
        ranks,
        busy,
        load,
        mean(figures.bare),
        median(figures.bare),
        mean(figures.alone) / mean(figures.shared),
        median(figures.alone) / median(figures.shared));
    return 0;
}
