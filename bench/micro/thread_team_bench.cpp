// Whether threads that wait cost more than they give: short parallel loops on one thread and on
// two, in turn, beside no or some other busy processes. usage: bench_thread_team [BUSY-PROCESSES
// [ROUNDS]]
//
// Prints how much faster two threads are than one: for our team, for threads that never wait for
// each other (what the machine gives at most), and for the team of OpenMP, whose waiting
// OMP_WAIT_POLICY decides. Where the machine is not free, `chrt -r 1` (as root) keeps everybody
// else away; beside busy processes a session of its own does: setsid -w sh -c 'echo -20 >
// /proc/self/autogroup; exec nice -n -20 "$@"' sh bench_thread_team 2
#include "lockstep/runtime/thread_team.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using Loop = std::function<void(int threads)>;

constexpr int items = 10;            // of a loop: trajectories, trial points
constexpr int item_steps = 20'000;   // about 50 us: a stage solve of a small case
constexpr int loops = 40;            // of a round
constexpr int serial_steps = 4'000;  // between loops, where the other threads wait

double sink = 0;

double work(int steps) {
    volatile double value = 1;
    for (int step = 0; step < steps; ++step) {
        value = value * 1.0000001;
    }
    return value;
}

class BusyProcesses {
public:
    explicit BusyProcesses(int count) {
        for (int i = 0; i < count; ++i) {
            children_.push_back(fork());
            if (children_.back() == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                for (;;) {
                    sink += work(item_steps);
                }
            }
        }
    }
    ~BusyProcesses() {
        for (const pid_t child : children_) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }
    BusyProcesses(const BusyProcesses&) = delete;
    BusyProcesses& operator=(const BusyProcesses&) = delete;

private:
    std::vector<pid_t> children_;
};

double seconds_of(const Loop& loop, int threads, int times) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) {
        loop(threads);
        sink += work(serial_steps);
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) {
        total += value;
    }
    return total;
}

void compare(const char* name, const Loop& loop, int rounds, int times = loops) {
    std::vector<double> one;
    std::vector<double> two;
    std::vector<double> ratios;
    for (int round = 0; round <= rounds; ++round) {
        const double first = seconds_of(loop, 1, times);
        const double second = seconds_of(loop, 2, times);
        if (round > 0) {  // the first warms up
            one.push_back(first);
            two.push_back(second);
            ratios.push_back(first / second);
        }
    }
    std::printf(
        "%-10s one %7.2f ms, two %7.2f ms; two are %.2f times as fast (median of rounds %.2f)\n",
        name,
        1e3 * sum(one) / rounds,
        1e3 * sum(two) / rounds,
        sum(one) / sum(two),
        median(ratios));
}

}  // namespace

int main(int count, char** arguments) {
    const int busy = count > 1 ? std::atoi(arguments[1]) : 0;
    const int rounds = count > 2 ? std::atoi(arguments[2]) : 50;
    double load = 0;
    getloadavg(&load, 1);
    std::printf("%d busy processes beside; load of the machine before: %.1f\n", busy, load);
    const BusyProcesses competitors(busy);
    {
        lockstep::runtime::ThreadTeam alone(1);
        lockstep::runtime::ThreadTeam pair(2);
        compare(
            "lockstep",
            [&](int threads) {
                auto& team = threads == 1 ? alone : pair;
                team.parallel_for(items, [](std::ptrdiff_t, int) { work(item_steps); });
            },
            rounds);
    }
    // What two threads give that never wait for each other: the machine's own limit.
    compare(
        "apart",
        [](int threads) {
            std::vector<std::thread> all;
            const int share = items / threads;
            for (int thread = 0; thread < threads; ++thread) {
                all.emplace_back([=] { work(share * item_steps * loops); });
            }
            for (auto& thread : all) {
                thread.join();
            }
        },
        rounds,
        1);
    compare(
        "openmp",
        [](int threads) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
            for (int item = 0; item < items; ++item) {
                work(item_steps);
            }
        },
        rounds);
    return sink < 0 ? 1 : 0;
}
