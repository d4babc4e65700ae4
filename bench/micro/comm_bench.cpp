// Collectives of each backend beside those of the MPI library that this program was built for, in
// one process: blocks of raw and own calls in turn, the ratio of each pair of blocks, its median
// and a bootstrap interval. Run by bench/micro/comm under the launcher of that library.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include "lockstep/comm/launch.hpp"

namespace {

using lockstep::comm::BackendKind;
using lockstep::comm::CommConfig;
using lockstep::comm::Communicator;
using lockstep::comm::Layout;
using Call = std::function<void()>;

int world_rank = 0;
int world_size = 1;

// Microseconds a call of a block, that of the slowest rank.
double block(const Call& call, int repeats) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        call();
    }
    double own = 1e6 * (MPI_Wtime() - start) / repeats;
    double slowest = 0;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

// Calls that fill about two milliseconds, alike on all ranks.
int repeats_for(const Call& call) {
    const double once = std::max(block(call, 3), 0.05);
    return std::clamp(static_cast<int>(2000 / once), 1, 5000);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::array<double, 2> bootstrap_interval(const std::vector<double>& values) {
    std::mt19937 random(1);
    std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
    std::vector<double> medians;
    for (int i = 0; i < 500; ++i) {
        std::vector<double> sample;
        for (std::size_t j = 0; j < values.size(); ++j) {
            sample.push_back(values[pick(random)]);
        }
        medians.push_back(median(sample));
    }
    std::sort(medians.begin(), medians.end());
    return {medians[12], medians[487]};
}

// Pairs of blocks until there are enough or time is up; what is measured is alike on all ranks.
void compare(const std::string& name, const Call& raw, const Call& ours) {
    constexpr int most_pairs = 61;
    constexpr int least_pairs = 9;
    constexpr double enough_us = 8e6;
    const int raw_repeats = repeats_for(raw);
    const int own_repeats = repeats_for(ours);
    std::vector<double> raw_us;
    std::vector<double> own_us;
    std::vector<double> ratio;
    double spent_us = 0;
    for (int pair = 0; pair < most_pairs && (pair < least_pairs || spent_us < enough_us); ++pair) {
        raw_us.push_back(block(raw, raw_repeats));
        own_us.push_back(block(ours, own_repeats));
        ratio.push_back(own_us.back() / raw_us.back());
        spent_us += raw_us.back() * raw_repeats + own_us.back() * own_repeats;
    }
    const auto interval = bootstrap_interval(ratio);
    if (world_rank == 0) {
        fmt::print("{:<28}{:>12.2f}{:>12.2f}{:>10.2f}   {:>5.2f} to {:<7.2f}{:>11.2f}{:>11.2f}\n",
                   name,
                   median(raw_us),
                   median(own_us),
                   median(ratio),
                   interval[0],
                   interval[1],
                   *std::min_element(raw_us.begin(), raw_us.end()),
                   *std::min_element(own_us.begin(), own_us.end()));
    }
}

void print_head(const std::string& title, const std::string& raw, const std::string& ours) {
    if (world_rank == 0) {
        fmt::print("\n{}, {} ranks\n{:<28}{:>12}{:>12}{:>10}   {:<16}{:>11}{:>11}\n",
                   title,
                   world_size,
                   "us, medians; best blocks",
                   raw,
                   ours,
                   "ratio",
                   "95 % interval",
                   raw,
                   ours);
    }
}

void compare_gather(Communicator& ours, std::int64_t bytes) {
    const std::vector<std::byte> send(static_cast<std::size_t>(bytes));
    const auto layout = Layout::blocks(world_size, bytes, world_size);
    std::vector<std::byte> receive(static_cast<std::size_t>(layout.extent()));
    const std::vector<int> counts(static_cast<std::size_t>(world_size), static_cast<int>(bytes));
    std::vector<int> offsets;
    for (int rank = 0; rank < world_size; ++rank) {
        offsets.push_back(static_cast<int>(layout.offset(rank)));
    }
    compare(
        fmt::format("allgatherv {} B", bytes),
        [&] {
            MPI_Allgatherv(send.data(),
                           static_cast<int>(bytes),
                           MPI_BYTE,
                           receive.data(),
                           counts.data(),
                           offsets.data(),
                           MPI_BYTE,
                           MPI_COMM_WORLD);
        },
        [&] {
            ours.allgatherv(
                std::span<const std::byte>(send), std::span<std::byte>(receive), layout);
        });
}

void compare_all(Communicator& ours) {
    print_head(fmt::format("{} against raw MPI", ours.backend()), "raw", "ours");
    compare(
        "barrier", [] { MPI_Barrier(MPI_COMM_WORLD); }, [&] { ours.barrier(); });
    for (const std::int64_t bytes : {8, 32, 1536, 4096, 65536, 1 << 20, 3200000, 16 << 20}) {
        compare_gather(ours, bytes);
    }
    for (const int bytes : {32, 65536, 3200000}) {
        std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
        compare(
            fmt::format("broadcast {} B", bytes),
            [&] { MPI_Bcast(buffer.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD); },
            [&] { ours.broadcast(std::span<std::byte>(buffer), 0); });
    }
    for (const int count : {1, 128, 131072}) {
        std::vector<double> values(static_cast<std::size_t>(count), 1);
        std::vector<double> sums(values.size());
        compare(
            fmt::format("ordered allreduce {} doubles", count),
            [&] {
                MPI_Allreduce(
                    values.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            },
            [&] {
                sums = values;
                ours.allreduce(std::span<double>(sums), lockstep::comm::ReduceOp::sum);
            });
    }
    std::fflush(stdout);
}

// Large gathers around a ring against the same through rank 0.
void compare_ring_with_star(CommConfig config) {
    config.tcp.port += 1;  // that of the run before may still be open on some rank
    config.tcp.algorithm = lockstep::comm::TcpConfig::Algorithm::star;
    const auto star = lockstep::comm::connect(config);
    config.tcp.algorithm = lockstep::comm::TcpConfig::Algorithm::automatic;
    config.tcp.port += 1;
    const auto ring = lockstep::comm::connect(config);
    print_head("tcp ring against tcp star", "star", "ring");
    for (const std::int64_t bytes : {65536, 1 << 20, 3200000, 16 << 20}) {
        const std::vector<std::byte> send(static_cast<std::size_t>(bytes));
        const auto layout = Layout::blocks(world_size, bytes, world_size);
        std::vector<std::byte> receive(static_cast<std::size_t>(layout.extent()));
        const auto gather = [&](Communicator& ranks) {
            ranks.allgatherv(
                std::span<const std::byte>(send), std::span<std::byte>(receive), layout);
        };
        compare(
            fmt::format("allgatherv {} B", bytes), [&] { gather(*star); }, [&] { gather(*ring); });
    }
    std::fflush(stdout);
}

// The same ranks over another backend.
CommConfig config_of(BackendKind kind, int number) {
    CommConfig config;
    config.backend = kind;
    config.shm.name = fmt::format("/lockstep-bench-{}", number);
    config.shm.rank = config.tcp.rank = world_rank;
    config.shm.size = config.tcp.size = world_size;
    config.tcp.coordinator = "127.0.0.1";
    config.tcp.port = 20000 + number % 10000;
    config.mpi.flavour = LOCKSTEP_BENCH_FLAVOUR;
    config.mpi.plugin_directory = LOCKSTEP_BENCH_PLUGINS;
    return config;
}

}  // namespace

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    int number = getpid();
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    const std::string wanted = argc > 1 ? argv[1] : "";
    const std::pair<const char*, BackendKind> backends[] = {
        {"mpi", BackendKind::mpi}, {"shm", BackendKind::shm}, {"tcp", BackendKind::tcp}};
    for (const auto& [name, kind] : backends) {
        if (wanted.empty() || wanted == name) {
            compare_all(*lockstep::comm::connect(config_of(kind, number)));
        }
    }
    if ((wanted.empty() || wanted == "star") && world_size > 2) {
        compare_ring_with_star(config_of(BackendKind::tcp, number));
    }
    MPI_Finalize();
    return 0;
}
