#include "app/measure.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/app/launch.hpp"
#include "lockstep/base/error.hpp"

#include "app/launch/free_port.hpp"

namespace lockstep::app {
namespace {

constexpr int repeats = 100;
constexpr double longest_seconds = 1;  // of one size

double microseconds(const std::function<void()>& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
}

// The slowest rank's time is that of the exchange.
double median_of_calls(comm::Communicator& ranks, const std::function<void()>& call) {
    call();
    std::vector<double> times;
    double sum = 0;
    while (static_cast<int>(times.size()) < repeats && sum < longest_seconds * 1e6) {
        ranks.barrier();
        times.push_back(ranks.allreduce(microseconds(call), comm::ReduceOp::max));
        sum += times.back();
    }
    std::sort(times.begin(), times.end());
    return 0.5 * (times[(times.size() - 1) / 2] + times[times.size() / 2]);
}

Exchange exchange(comm::Communicator& ranks, std::int64_t bytes) {
    const std::vector<std::byte> send(static_cast<std::size_t>(bytes));
    const auto layout = comm::Layout::blocks(ranks.size(), bytes, ranks.size());
    std::vector<std::byte> receive(static_cast<std::size_t>(layout.extent()));
    Exchange seen;
    seen.bytes = bytes;
    seen.microseconds = median_of_calls(ranks, [&] {
        ranks.allgatherv(std::span<const std::byte>(send), std::span<std::byte>(receive), layout);
    });
    seen.gigabytes_per_second =
        static_cast<double>(bytes * (ranks.size() - 1)) / seen.microseconds / 1e3;
    return seen;
}

comm::CommConfig config_of(comm::BackendKind kind) {
    comm::CommConfig config;
    config.backend = kind;
    config.shm.name = fmt::format("/lockstep-doctor-{}", getpid());
    config.shm.size = config.tcp.size = 2;
    config.shm.timeout_ms = config.tcp.connect_timeout_ms = 5000;
    config.tcp.coordinator = "127.0.0.1";
    if (kind == comm::BackendKind::tcp) {
        config.tcp.port = free_port();
    }
    return config;
}

void measure_rank(comm::CommConfig config, int rank, BackendSeen& seen) {
    config.shm.rank = config.tcp.rank = rank;
    BackendSeen mine = seen;
    try {
        const auto ranks = comm::connect(config);
        measure(*ranks, mine);
    } catch (const Error& error) {
        mine.problem = error.what();
    }
    if (rank == 0) {
        seen = std::move(mine);
    }
}

}  // namespace

void measure(comm::Communicator& ranks, BackendSeen& seen) {
    seen.ranks = ranks.size();
    seen.barrier_us = median_of_calls(ranks, [&] { ranks.barrier(); });
    for (std::int64_t bytes = 8; bytes <= std::int64_t{8} << 20; bytes *= 8) {
        seen.exchanges.push_back(exchange(ranks, bytes));
    }
}

BackendSeen measure_on_threads(comm::BackendKind kind) {
    BackendSeen seen;
    seen.is_built = comm::is_built(kind);
    if (!seen.is_built) {
        return seen;
    }
    const auto config = config_of(kind);
    std::jthread other([&] {
        BackendSeen ignored;
        measure_rank(config, 1, ignored);
    });
    measure_rank(config, 0, seen);
    return seen;
}

}  // namespace lockstep::app
