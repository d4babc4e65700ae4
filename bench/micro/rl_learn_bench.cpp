// The loop of Q-learning beside one that is written by hand for the same environment, with the same
// random numbers in the same order: the tables must be equal. Then the same work in mode threads on
// one thread and on two, and what travels between ranks.
//
//   bench_rl_learn [MILLIONS]    transitions of each run, default 20
//
// CPU seconds of this process; the best of five runs in turn.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/learn.hpp"

#include "cpu_time.hpp"

namespace {

using namespace lockstep;

constexpr double epsilon = 0.2;
constexpr double alpha = 0.1;
constexpr double gamma_ = 0.99;
constexpr int repetitions = 5;

// What both loops by hand have: four actions, all legal, ties at random.
struct HandTable {
    explicit HandTable(std::size_t states) : q(4 * states), visits(4 * states) {}

    [[nodiscard]] double best(std::size_t s) const {
        const double* row = &q[4 * s];
        double largest = row[0];
        for (int a = 1; a < 4; ++a) {
            largest = row[a] > largest ? row[a] : largest;
        }
        return largest;
    }
    [[nodiscard]] std::size_t choose(std::size_t s, std::uint64_t random) const {
        const auto pick = random & 0xFFFFFFFFU;
        if (random >> 32U < static_cast<std::uint64_t>(epsilon * 0x1p32)) {
            return pick * 4 >> 32U;
        }
        const double largest = best(s);
        std::size_t ties[4];
        std::size_t count = 0;
        for (std::size_t a = 0; a < 4; ++a) {
            if (q[4 * s + a] == largest) {
                ties[count++] = a;
            }
        }
        return ties[pick * count >> 32U];
    }
    void update(std::size_t s, std::size_t a, double target) {
        ++visits[4 * s + a];
        q[4 * s + a] += alpha * (target - q[4 * s + a]);
    }

    std::vector<double> q;
    std::vector<std::uint32_t> visits;
};

constexpr std::string_view lake = "SFFFFHFHFFFHHFFG";

std::vector<double> lake_by_hand(std::int64_t steps) {
    std::size_t next[16][4];
    for (std::size_t s = 0; s < 16; ++s) {
        const std::size_t row = s / 4;
        const std::size_t column = s % 4;
        next[s][0] = row * 4 + (column > 0 ? column - 1 : 0);
        next[s][1] = (row < 3 ? row + 1 : 3) * 4 + column;
        next[s][2] = row * 4 + (column < 3 ? column + 1 : 3);
        next[s][3] = (row > 0 ? row - 1 : 0) * 4 + column;
    }
    HandTable table(16);
    const rl::Streams streams(0, "rl.play");
    std::size_t s = 0;
    int length = 0;
    for (std::int64_t i = 1; i <= steps; ++i) {
        auto draws = streams.at(0, static_cast<std::uint64_t>(i));
        const std::size_t a = table.choose(s, draws.bits());
        const double u = draws.uniform();
        const std::size_t slip = u < 1.0 / 3 ? 3 : u < 1.0 / 3 + 1.0 / 3 ? 0 : 1;
        const std::size_t to = next[s][(a + slip) % 4];
        const bool is_goal = lake[to] == 'G';
        const bool ends = is_goal || lake[to] == 'H';
        table.update(s, a, (is_goal ? 1.0 : 0.0) + (ends ? 0 : gamma_ * table.best(to)));
        const bool is_over = ends || ++length == 100;
        s = is_over ? 0 : to;
        length = is_over ? 0 : length;
    }
    return table.q;
}

std::vector<double> cliff_by_hand(std::int64_t steps) {
    HandTable table(48);
    const rl::Streams streams(0, "rl.play");
    std::size_t s = 36;
    for (std::int64_t i = 1; i <= steps; ++i) {
        auto draws = streams.at(0, static_cast<std::uint64_t>(i));
        const std::size_t a = table.choose(s, draws.bits());
        std::size_t row = s / 12;
        std::size_t column = s % 12;
        row = a == 0 ? (row > 0 ? row - 1 : 0) : a == 2 ? (row < 3 ? row + 1 : 3) : row;
        column = a == 1   ? (column < 11 ? column + 1 : 11)
                 : a == 3 ? (column > 0 ? column - 1 : 0)
                          : column;
        const std::size_t cell = row * 12 + column;
        const bool falls = cell > 36 && cell < 47;
        const std::size_t to = falls ? 36 : cell;
        const bool ends = to == 47;
        table.update(s, a, (falls ? -100.0 : -1.0) + (ends ? 0 : gamma_ * table.best(to)));
        s = ends ? 36 : to;
    }
    return table.q;
}

rl::LearnOptions options_of(rl::Mode mode, std::int64_t steps) {
    rl::LearnOptions options;
    options.mode = mode;
    options.steps = steps;
    options.discount_factor = gamma_;
    options.learning_rate = rl::parse_step_size("0.1");
    options.exploration.level = rl::parse_schedule("0.2");
    return options;
}

/// Says nothing and wants nothing.
class Quiet final : public rl::LearnObserver {
public:
    bool wants_report(double, std::int64_t) override { return false; }
};

rl::LearnResult learn(const rl::World& world, const rl::LearnOptions& options, int threads) {
    const auto ranks = comm::make_local();
    runtime::ThreadTeam team_threads(threads);
    runtime::Team team{*ranks, team_threads};
    Quiet quiet;
    return rl::learn(world, options, team, quiet);
}

template <typename Hand>
void beside_hand(const char* name, std::int64_t steps, Hand&& hand) {
    const auto world = rl::make_world(rl::make_environment(name));
    const auto options = options_of(rl::Mode::serial, steps);
    double ours = 1e9;
    double theirs = 1e9;
    bool is_same = true;
    for (int i = 0; i < repetitions; ++i) {
        rl::LearnResult result;
        std::vector<double> table;
        ours = std::min(ours, timed([&] { result = learn(*world, options, 1); }));
        theirs = std::min(theirs, timed([&] { table = hand(steps); }));
        is_same = is_same && result.table.values == table;
    }
    const auto millions = static_cast<double>(steps) / 1e6;
    std::printf("%-16s ours %6.1f M steps/s, by hand %6.1f, ratio %.2f, tables %s\n",
                name,
                millions / ours,
                millions / theirs,
                theirs / ours,
                is_same ? "equal" : "DIFFER");
}

void all_modes(const char* name, std::int64_t steps) {
    const auto world = rl::make_world(rl::make_environment(name));
    for (const auto mode :
         {rl::Mode::serial, rl::Mode::vector, rl::Mode::threads, rl::Mode::hogwild}) {
        const auto options = options_of(mode, steps);
        double wall[3] = {0, 1e9, 1e9};
        double cpu[3] = {0, 1e9, 1e9};
        for (int i = 0; i < repetitions; ++i) {
            for (const int threads : {1, 2}) {
                const Stopwatch clock;
                cpu[threads] =
                    std::min(cpu[threads], timed([&] { learn(*world, options, threads); }));
                wall[threads] = std::min(wall[threads], clock.seconds());
            }
        }
        const auto millions = static_cast<double>(steps) / 1e6;
        std::printf("%-16s %-8s 1 thread %6.1f M steps/CPU s; 2 threads: wall %.2f x, CPU %.2f x\n",
                    name,
                    std::string(to_string(mode)).c_str(),
                    millions / cpu[1],
                    wall[1] / wall[2],
                    cpu[2] / cpu[1]);
    }
}

// Bytes that ranks send, by the length of a round and compression.
void traffic(const char* name, std::int64_t steps) {
    const auto world = rl::make_world(rl::make_environment(name));
    for (const std::int64_t round : {1'000, 10'000, 100'000, 1'000'000}) {
        for (const double ratio : {0.0, 0.5}) {
            auto options = options_of(rl::Mode::allreduce, steps);
            options.workers = 2;
            options.sync_frequency = round;
            options.compression_ratio = ratio;
            double bytes = 0;
            comm::run_in_process(2, [&](comm::Communicator& ranks) {
                runtime::ThreadTeam threads(1);
                runtime::Team team{ranks, threads};
                Quiet quiet;
                const auto result = rl::learn(*world, options, team, quiet);
                if (ranks.rank() == 0) {
                    bytes = result.last.bytes_per_update;
                }
            });
            std::printf("%-16s allreduce, rounds of %7lld, ratio %.1f: %8.3f bytes an update\n",
                        name,
                        static_cast<long long>(round),
                        ratio,
                        bytes);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto steps = static_cast<std::int64_t>((argc > 1 ? std::atof(argv[1]) : 20) * 1e6);
    beside_hand("FrozenLake-v1", steps, lake_by_hand);
    beside_hand("CliffWalking-v1", steps, cliff_by_hand);
    for (const char* name : {"FrozenLake-v1", "tictactoe", "Taxi-v4", "garnet"}) {
        all_modes(name, steps);
    }
    traffic("tictactoe", std::max<std::int64_t>(steps, 1) / 4);
    return 0;
}
