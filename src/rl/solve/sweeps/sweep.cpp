#include "rl/solve/sweeps/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"

#include "rl/solve/sweeps/blocks.hpp"

namespace lockstep::rl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Change no_change() {
    return {infinity, -infinity, 0};
}

struct Best {
    double value = -infinity;
    std::int32_t pair = -1;
    void see(double q, std::int32_t number) {
        if (q > value) {
            value = q;
            pair = number;
        }
    }
};

void note(Change& change, double before, double after) {
    change.least = std::min(change.least, after - before);
    change.most = std::max(change.most, after - before);
    change.size = std::max(change.size, std::abs(after));
}

/// States of a block where values of its own are read as they are now, and others as they were.
struct Part {
    double* v;
    const double* old;
    std::int32_t begin;
    std::int32_t end;
    [[nodiscard]] double operator()(std::int32_t s) const {
        return (s >= begin && s < end ? v : old)[s];
    }
};

struct Whole {
    double* v;
    [[nodiscard]] double operator()(std::int32_t s) const { return v[s]; }
};

// q·(1 - gamma·self) = R + gamma·Σ of the other successors. A pair that only stays is left out:
// for gamma = 1 it pays for ever.
template <typename Values>
Best best_without_self(
    const RowBlock& rows, std::int64_t local, int s, double gamma, Values at_state) {
    Best best;
    const double own = at_state(s);
    const std::int64_t first = rows.pair_first[local];
    for (std::int64_t pair = first; pair < rows.pair_first[local + 1]; ++pair) {
        double sum = 0;
        for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
            sum += rows.probability[k] * at_state(rows.next[k]);
        }
        double q = rows.reward[pair] + gamma * sum;
        const double leaves = 1 - gamma * rows.self[pair];
        if (leaves < 1) {
            q = leaves > 0 ? own + (q - own) / leaves : -infinity;
        }
        best.see(q, static_cast<std::int32_t>(pair - first));
    }
    return best;
}

template <typename Values>
struct InPlace {
    double gamma;
    std::span<double> v;
    std::span<std::int32_t> choice;
    Values values;
    Change change = no_change();

    void update(const RowBlock& rows, int begin, int s) {
        const Best best = best_without_self(rows, s - begin, s, gamma, values);
        if (best.pair >= 0) {
            note(change, v[at(s)], best.value);
            v[at(s)] = best.value;
        }
        if (!choice.empty()) {
            choice[at(s)] = best.pair;
        }
    }

    void forwards(const RowSource& source, int begin, int end, RowWriter& writer) {
        for (int from = begin; from < end; from += states_of_a_block) {
            const int to = std::min(end, from + states_of_a_block);
            const RowBlock rows = source.block(from, to, writer);
            for (int s = from; s < to; ++s) {
                update(rows, from, s);
            }
        }
    }

    void backwards(const RowSource& source, int begin, int end, RowWriter& writer) {
        for (int to = end; to > begin;) {
            const int from = std::max(begin, (to - 1) / states_of_a_block * states_of_a_block);
            const RowBlock rows = source.block(from, to, writer);
            for (int s = to; s-- > from;) {
                update(rows, from, s);
            }
            to = from;
        }
    }

    Change sweep(const RowSource& source, int begin, int end, bool is_backwards) {
        thread_local RowWriter writer;
        is_backwards ? backwards(source, begin, end, writer) : forwards(source, begin, end, writer);
        return change;
    }
};

Change folded(const Change& sum, const Change& part) {
    return sum.with(part);
}

// A process without legal actions changes nothing.
Change settled(const Change& change) {
    return change.least > change.most ? Change{} : change;
}

}  // namespace

Change Change::with(const Change& other) const noexcept {
    return {std::min(least, other.least), std::max(most, other.most), std::max(size, other.size)};
}

double Change::largest() const noexcept {
    return std::max(std::abs(least), std::abs(most));
}

Change jacobi_sweep(const RowSource& source,
                    double gamma,
                    std::span<const double> v,
                    std::span<double> out,
                    std::span<std::int32_t> choice,
                    const Workers& workers) {
    const Change all = over_blocks(
        source,
        workers,
        no_change(),
        [&](int begin, int end, const RowBlock& rows) {
            Change change = no_change();
            for (int s = begin; s < end; ++s) {
                Best best;
                const std::int64_t first = rows.pair_first[s - begin];
                for (std::int64_t pair = first; pair < rows.pair_first[s - begin + 1]; ++pair) {
                    best.see(backup(rows, pair, v.data(), gamma),
                             static_cast<std::int32_t>(pair - first));
                }
                out[at(s)] = best.pair < 0 ? 0 : best.value;
                if (best.pair >= 0) {
                    note(change, v[at(s)], best.value);
                }
                if (!choice.empty()) {
                    choice[at(s)] = best.pair;
                }
            }
            return change;
        },
        folded);
    workers.share(out);
    if (!choice.empty()) {
        workers.share(choice);
    }
    return settled(all);
}

Change GaussSeidel::sweep(std::span<double> v,
                          bool backwards,
                          std::span<std::int32_t> choice,
                          const Workers& workers) {
    const int states = source_.states();
    const int length = states_of_a_long_block(states);
    if (states <= length && !workers.is_divided()) {
        InPlace<Whole> whole{gamma_, v, choice, {v.data()}};
        return settled(whole.sweep(source_, 0, states, backwards));
    }
    old_.assign(v.begin(), v.end());
    const Change change = workers.fold(
        states,
        length,
        no_change(),
        [&](int begin, int end) {
            InPlace<Part> part{gamma_, v, choice, {v.data(), old_.data(), begin, end}};
            return part.sweep(source_, begin, end, backwards);
        },
        folded);
    workers.share(v);
    if (!choice.empty()) {
        workers.share(choice);
    }
    return settled(change);
}

}  // namespace lockstep::rl
