// tcp_worker CALL ROUNDS PAUSE_MS [recover [RANK]]: a rank that makes one collective a round, for
// tests that kill it. CALL is barrier, broadcast, allreduce, gather, ring (a larger gather) or
// large. The state that it prints at the end depends on CALL and ROUNDS only, not on the number of
// ranks. It exits with 71 when another rank is gone, or goes on without it; RANK aborts the run
// instead. "tcp_worker node" prints how many ranks share its node and whether they share memory
// instead, "tcp_worker abort" ends the run from rank 1.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

namespace {

using lockstep::comm::Communicator;
using lockstep::comm::Layout;
using lockstep::comm::ReduceOp;

constexpr std::int64_t item_count = 12;

std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
    return (state ^ value) * 0x9e3779b97f4a7c15 + (state >> 29);
}

std::uint64_t item(std::uint64_t round, std::int64_t number) {
    return mix(round + 1, static_cast<std::uint64_t>(number) + 17);
}

// Items of `width` words, each rank's block of them.
std::uint64_t gather(Communicator& comm, std::uint64_t round, std::int64_t width) {
    const Layout layout = Layout::blocks(item_count, width, comm.size());
    const std::int64_t first = layout.offset(comm.rank());
    std::vector<std::uint64_t> own;
    for (std::int64_t i = 0; i < layout.count(comm.rank()); ++i) {
        own.push_back(item(round, first + i));
    }
    std::vector<std::uint64_t> all(static_cast<std::size_t>(item_count * width));
    comm.allgatherv<std::uint64_t>(own, all, layout);
    std::uint64_t state = 0;
    for (const std::uint64_t value : all) {
        state = mix(state, value);
    }
    return state;
}

std::uint64_t sum(Communicator& comm, std::uint64_t round) {
    const Layout layout = Layout::blocks(item_count, 1, comm.size());
    std::uint64_t own = 0;
    for (std::int64_t i = 0; i < layout.count(comm.rank()); ++i) {
        own += item(round, layout.offset(comm.rank()) + i);
    }
    return comm.allreduce(own, ReduceOp::sum);
}

std::uint64_t broadcast(Communicator& comm, std::uint64_t round) {
    const int root = static_cast<int>(round % static_cast<std::uint64_t>(comm.size()));
    std::vector<std::uint64_t> value(100, comm.rank() == root ? item(round, 0) : 0);
    comm.broadcast<std::uint64_t>(value, root);
    return value.back();
}

std::uint64_t make_call(Communicator& comm, std::string_view call, std::uint64_t round) {
    if (call == "gather") {
        return gather(comm, round, 1);
    }
    if (call == "ring") {
        return gather(comm, round, 4'000);
    }
    if (call == "large") {
        return gather(comm, round, 300'000);
    }
    if (call == "allreduce") {
        return sum(comm, round);
    }
    if (call == "broadcast") {
        return broadcast(comm, round);
    }
    comm.barrier();
    return round;
}

/// Rounds that are done, and the states after the last two of them.
struct Progress {
    std::uint64_t rounds = 0;
    std::uint64_t state = 0;
    std::uint64_t state_before = 0;

    void add(std::uint64_t value) {
        state_before = state;
        state = mix(state, value);
        ++rounds;
    }
    // A survivor may be one round ahead of the others.
    void go_back_to(std::uint64_t common) {
        if (rounds > common) {
            --rounds;
            state = state_before;
        }
    }
};

struct Task {
    std::string call;
    std::uint64_t rounds;
    std::chrono::milliseconds pause;
    bool recovers;
    int aborts = -1;
};

void recover(Communicator& comm, Progress& progress) {
    while (true) {
        try {
            comm.recover();
            progress.go_back_to(comm.allreduce(progress.rounds, ReduceOp::min));
            return;
        } catch (const lockstep::comm::PeerFailed&) {
            std::fputs("lost another rank\n", stderr);
        }
    }
}

void work(Communicator& comm, const Task& task) {
    Progress progress;
    while (progress.rounds < task.rounds) {
        try {
            progress.add(make_call(comm, task.call, progress.rounds));
        } catch (const lockstep::comm::PeerFailed& failure) {
            std::fprintf(stderr, "%s\n", failure.what());
            if (!task.recovers) {
                throw;
            }
            if (comm.rank() == task.aborts) {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                comm.abort(9);
            }
            recover(comm, progress);
        }
        if (progress.rounds == 3) {
            std::puts("ready");
            std::fflush(stdout);
        }
        std::this_thread::sleep_for(task.pause);
    }
    std::printf("state %016llx\n", static_cast<unsigned long long>(progress.state));
}

void show_node(Communicator& comm) {
    const auto node = comm.split_local();
    const auto region = node->create_region(1);
    if (region->is_writer()) {
        region->writer_span()[0] = std::byte{42};
    }
    region->fence();
    const bool is_shared = region->is_shared() && region->view()[0] == std::byte{42};
    std::printf("node of %d, %s\n", node->size(), is_shared ? "shared" : "apart");
}

std::optional<std::string> variable(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::optional<std::string>() : std::optional<std::string>(value);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv, argv + argc);
    if (arguments.size() != 2 && arguments.size() < 4) {
        return 64;
    }
    const bool has_rounds = arguments.size() >= 4;
    const Task task{arguments[1],
                    has_rounds ? std::stoull(arguments[2]) : 1'000'000'000,
                    std::chrono::milliseconds(has_rounds ? std::stoi(arguments[3]) : 0),
                    arguments.size() > 4,
                    arguments.size() > 5 ? std::stoi(arguments[5]) : -1};
    try {
        const auto comm = connect(lockstep::comm::choose_backend(variable));
        if (task.call == "abort" && comm->rank() == 1) {
            comm->abort(9);
        }
        if (task.call == "node") {
            show_node(*comm);
        } else {
            work(*comm, task);
        }
    } catch (const lockstep::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.exit_code();
    }
    return 0;
}
