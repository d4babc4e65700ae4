// Updates of Q-learning a second by the size of the table, at random pairs: as the engine does them
// in either precision beside loops by hand, and with the rows that come next asked for ahead.
// Beside them what the memory could do: random lines a second where none waits for another, and the
// time of one that waits for the one before.
//
//   bench_rl_tables [MEGABYTES]    largest table of values, default 1024
//
// CPU seconds of this process; the best of three runs in turn.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "lockstep/rl/environments/split_mix.hpp"
#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/learner.hpp"

#include "cpu_time.hpp"

namespace {

using namespace lockstep;

constexpr double discount = 0.99;
constexpr double alpha = 0.1;
constexpr std::int64_t updates = 1 << 21;
constexpr std::size_t batch = 256;
constexpr std::size_t line = 64;

/// Nanoseconds of one of `count`, the best of three runs.
template <typename Work>
double nanoseconds(std::int64_t count, Work&& work) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const double before = cpu_seconds();
        work();
        best = std::min(best, cpu_seconds() - before);
    }
    return best / static_cast<double>(count) * 1e9;
}

struct Update {
    std::int32_t state;
    std::int32_t action;
    std::int32_t next;
};

struct Shape {
    std::int32_t states;
    int actions;
    bool masked;
};

rl::ActionMask mask_of(const Shape& shape, std::int32_t s) {
    const auto all = rl::all_actions(shape.actions);
    return shape.masked ? all & (rl::split_mix(3, static_cast<std::uint64_t>(s)) | 1U) : all;
}

/// Calls use(update, the one some places on) for all updates, which are the same for everybody.
template <typename Use>
void for_each_update(const Shape& shape, Use&& use) {
    std::array<Update, batch> list;
    for (std::int64_t done = 0; done < updates; done += static_cast<std::int64_t>(batch)) {
        for (std::size_t i = 0; i < batch; ++i) {
            const auto bits = rl::split_mix(1, static_cast<std::uint64_t>(done) + i);
            const auto below = [&](std::uint64_t word, int count) {
                return static_cast<std::int32_t>(
                    (word & 0xFFFFFFFFU) * static_cast<std::uint64_t>(count) >> 32U);
            };
            list[i] = {below(bits, shape.states),
                       below(bits * 0x9E3779B97F4A7C15U, shape.actions),
                       below(bits >> 32U, shape.states)};
        }
        for (std::size_t i = 0; i < batch; ++i) {
            use(list[i], list[std::min(i + 16, batch - 1)]);
        }
    }
}

template <typename T>
struct Table {
    explicit Table(const Shape& shape)
        : actions(static_cast<std::size_t>(shape.actions)),
          values(static_cast<std::size_t>(shape.states) * actions),
          visits(values.size()) {}

    [[nodiscard]] std::size_t row(std::int32_t s) const {
        return static_cast<std::size_t>(s) * actions;
    }
    void ask_for(const Update& update) {
        const char* next =
            static_cast<const char*>(static_cast<const void*>(&values[row(update.next)]));
        for (std::size_t byte = 0; byte < actions * sizeof(T); byte += line) {
            __builtin_prefetch(next + byte);
        }
        const std::size_t cell = row(update.state) + static_cast<std::size_t>(update.action);
        __builtin_prefetch(&values[cell], 1);
        __builtin_prefetch(&visits[cell], 1);
    }

    std::size_t actions;
    std::vector<T> values;
    std::vector<std::uint32_t> visits;
};

template <typename T, bool asks>
double by_engine(const Shape& shape) {
    Table<T> table(shape);
    const rl::CellsOf<T> cells{table.values.data(), table.visits.data(), nullptr, 0};
    const rl::StepSizes step_sizes(rl::parse_step_size("0.1"));
    return nanoseconds(updates, [&] {
        for_each_update(shape, [&](const Update& update, const Update& later) {
            if constexpr (asks) {
                table.ask_for(later);
            }
            const auto best = rl::best_of(
                cells.values + table.row(update.next), mask_of(shape, update.next), shape.actions);
            rl::move_to<rl::Access::own>(
                cells,
                static_cast<std::ptrdiff_t>(table.row(update.state)) + update.action,
                update.state,
                1 + discount * best.value,
                step_sizes);
        });
    });
}

template <typename T>
double by_hand(const Shape& shape) {
    constexpr auto nothing = static_cast<T>(-1e30);
    Table<T> table(shape);
    return nanoseconds(updates, [&] {
        for_each_update(shape, [&](const Update& update, const Update& /*later*/) {
            const T* row = &table.values[table.row(update.next)];
            const auto legal = mask_of(shape, update.next);
            T best = nothing;
            for (int a = 0; a < shape.actions; ++a) {
                const T value = (legal >> static_cast<unsigned>(a) & 1U) != 0 ? row[a] : nothing;
                best = value > best ? value : best;
            }
            const std::size_t cell =
                table.row(update.state) + static_cast<std::size_t>(update.action);
            ++table.visits[cell];
            const auto value = static_cast<double>(table.values[cell]);
            table.values[cell] =
                static_cast<T>(value + alpha * (1 + discount * static_cast<double>(best) - value));
        });
    });
}

/// Nanoseconds of a random line among so many bytes: where each address comes from the line before,
/// and where all are known.
std::array<double, 2> line_times(std::size_t bytes) {
    constexpr std::size_t words = line / sizeof(std::uint64_t);
    const std::size_t count = std::max<std::size_t>(bytes / line, 2);
    std::vector<std::uint64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = count - 1; i > 0; --i) {  // one cycle through all of them
        std::swap(order[i], order[rl::split_mix(5, i) % i]);
    }
    std::vector<std::uint64_t> memory(count * words);
    for (std::size_t i = 0; i < count; ++i) {
        memory[i * words] = order[i];
    }
    std::uint64_t sum = 0;
    const double waits = nanoseconds(updates, [&] {
        std::uint64_t place = 0;
        for (std::int64_t i = 0; i < updates; ++i) {
            place = memory[place * words];
        }
        sum += place;
    });
    const double known = nanoseconds(updates, [&] {
        for (std::int64_t i = 0; i < updates; ++i) {
            const auto bits = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U >> 32U;
            sum += memory[(bits * count >> 32U) * words];
        }
    });
    volatile std::uint64_t sink = sum;
    static_cast<void>(sink);
    return {waits, known};
}

void row_of_figures(std::size_t bytes, int actions, bool masked) {
    const auto row = sizeof(double) * static_cast<std::size_t>(actions);
    const Shape shape{
        static_cast<std::int32_t>(std::max<std::size_t>(bytes / row, 2)), actions, masked};
    const double engine = by_engine<double, false>(shape);
    const double single = by_engine<float, false>(shape);
    const double asking = by_engine<double, true>(shape);
    const double hand = by_hand<double>(shape);
    const double single_hand = by_hand<float>(shape);
    std::printf("%11zu %2d %-6s %8.1f %8.1f %6.2f %8.1f %8.1f %6.2f %8.1f\n",
                bytes,
                actions,
                masked ? "masked" : "plain",
                1e3 / engine,
                1e3 / hand,
                hand / engine,
                1e3 / single,
                1e3 / single_hand,
                engine / single,
                1e3 / asking);
}

}  // namespace

int main(int argc, char** argv) {
    const auto most = static_cast<std::size_t>((argc > 1 ? std::atof(argv[1]) : 1024) * 1048576);
    const std::array<std::size_t, 8> sizes{
        144, 8'192, 131'072, 1'048'576, 8'388'608, 67'108'864, 268'435'456, 1'073'741'824};
    std::printf("random lines of 64 bytes\n      bytes  ns, each waits  ns, none waits\n");
    for (const std::size_t bytes : sizes) {
        if (bytes <= most) {
            const auto times = line_times(bytes);
            std::printf("%11zu %14.1f %15.1f\n", bytes, times[0], times[1]);
        }
    }
    std::printf(
        "\nmillions of updates a second, f32: tables of as many pairs\n      bytes  A          "
        "engine"
        "     hand  ratio      f32 f32 hand f32/f64    ahead\n");
    for (const std::size_t bytes : sizes) {
        for (const int actions : {4, 9, 64}) {
            for (const bool masked : {false, true}) {
                if (bytes <= most) {
                    row_of_figures(bytes, actions, masked);
                }
            }
        }
    }
    return 0;
}
