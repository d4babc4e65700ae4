#include "rl/exchange/combine.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr auto past_all = std::numeric_limits<std::uint64_t>::max();

// Where each worker's list stands, and the next cell that any of them has.
class Merge {
public:
    Merge(std::span<const Delta* const> deltas, std::uint32_t begin) : deltas_(deltas) {
        for (const Delta* delta : deltas) {
            places_.push_back(
                delta == nullptr
                    ? 0
                    : static_cast<std::size_t>(
                          std::lower_bound(delta->cells.begin(), delta->cells.end(), begin) -
                          delta->cells.begin()));
        }
    }

    [[nodiscard]] std::uint64_t next() const noexcept {
        std::uint64_t lowest = past_all;
        for (std::size_t w = 0; w < deltas_.size(); ++w) {
            lowest = std::min(lowest, cell_of(w));
        }
        return lowest;
    }

    template <typename Visit>
    void take(std::uint64_t cell, Visit&& visit) {
        for (std::size_t w = 0; w < deltas_.size(); ++w) {
            if (cell_of(w) == cell) {
                const std::size_t place = places_[w]++;
                visit(deltas_[w]->changes[place], deltas_[w]->visits[place]);
            }
        }
    }

private:
    [[nodiscard]] std::uint64_t cell_of(std::size_t w) const noexcept {
        return deltas_[w] == nullptr || places_[w] == deltas_[w]->size()
                   ? past_all
                   : deltas_[w]->cells[places_[w]];
    }

    std::span<const Delta* const> deltas_;
    std::vector<std::size_t> places_;
};

// What a list has of one cell after the other, ascending.
class Lookup {
public:
    struct Entry {
        double change = 0;
        std::uint32_t visits = 0;
    };

    Lookup(const Delta& list, std::uint32_t begin)
        : list_(list),
          place_(static_cast<std::size_t>(
              std::lower_bound(list.cells.begin(), list.cells.end(), begin) - list.cells.begin())) {
    }

    Entry at_cell(std::uint64_t cell) noexcept {
        while (place_ < list_.size() && list_.cells[place_] < cell) {
            ++place_;
        }
        if (place_ == list_.size() || list_.cells[place_] != cell) {
            return {};
        }
        return {list_.changes[place_], list_.visits[place_]};
    }

private:
    const Delta& list_;
    std::size_t place_;
};

// Ranges of cells that do not depend on the number of threads; so does no result.
constexpr std::ptrdiff_t ranges = 64;

std::uint32_t border(std::size_t cells, std::ptrdiff_t i) {
    return static_cast<std::uint32_t>(std::uint64_t{cells} * at(i) / at(ranges));
}

}  // namespace

Combiner::Combiner(Combine rule, const StepSize& step_size, int workers)
    : rule_(rule), ages_(rule, workers), retention_(step_size) {}

void Combiner::apply(std::span<const Delta* const> deltas,
                     const Cells& table,
                     std::size_t cells,
                     runtime::ThreadTeam& threads) const {
    const Delta nothing;
    threads.parallel_for(ranges, [&](std::ptrdiff_t i, int) {
        std::visit(
            [&](const auto& of) {
                apply(deltas, {border(cells, i), border(cells, i + 1)}, of, nothing, nullptr);
            },
            table);
    });
}

void Combiner::apply(std::span<const Delta* const> deltas,
                     const Cells& table,
                     std::size_t cells,
                     runtime::ThreadTeam& threads,
                     Delta& moved) const {
    std::array<Delta, ranges> parts;
    threads.parallel_for(ranges, [&](std::ptrdiff_t i, int) {
        std::visit(
            [&](const auto& of) {
                apply(deltas, {border(cells, i), border(cells, i + 1)}, of, moved, &parts[at(i)]);
            },
            table);
    });
    moved.clear();
    for (const Delta& part : parts) {
        moved.cells.insert(moved.cells.end(), part.cells.begin(), part.cells.end());
        moved.changes.insert(moved.changes.end(), part.changes.begin(), part.changes.end());
        moved.visits.insert(moved.visits.end(), part.visits.begin(), part.visits.end());
    }
}

template <typename V>
void Combiner::apply(std::span<const Delta* const> deltas,
                     const Range& range,
                     const CellsOf<V>& table,
                     const Delta& since,
                     Delta* moved) const {
    Merge merge(deltas, range.begin);
    Lookup earlier(since, range.begin);
    std::vector<Change> changes;
    changes.reserve(deltas.size());
    for (std::uint64_t cell = merge.next(); cell < range.end; cell = merge.next()) {
        changes.clear();
        V& value = table.values[cell];
        std::uint32_t& visits = table.visits[cell];
        const double before{value};
        const auto visited_before = visits;
        const auto [drift, drifted] = earlier.at_cell(cell);
        const auto age = ages_.of(visits - drifted);
        merge.take(cell, [&, drift = drift](double change, std::uint32_t visited) {
            changes.push_back({change, visited});
            if (drift != 0) {
                changes.back().change -= (1 - left(age, visited)) * drift;
            }
            visits = add_visits(visits, visited);
        });
        value = static_cast<V>(before + combined(changes, deltas.size(), age));
        if (moved != nullptr) {
            moved->add(
                static_cast<std::uint32_t>(cell), double{value} - before, visits - visited_before);
        }
    }
}

double Combiner::left(std::uint32_t age, std::uint32_t visits) const {
    return retention_.is_whole(age) ? 0 : retention_.left(retention_.loss(age, visits));
}

double Combiner::combined(std::span<const Change> changes,
                          std::size_t workers,
                          std::uint32_t age) const {
    if (rule_ == Combine::importance) {
        return weighted(changes, workers, age);
    }
    if (rule_ == Combine::composition) {
        return composed(changes, age);
    }
    double sum = 0;
    for (const Change& change : changes) {
        sum += change.change;
    }
    const auto count = rule_ == Combine::sum       ? std::size_t{1}
                       : rule_ == Combine::touched ? changes.size()
                                                   : workers;
    return sum / static_cast<double>(count);
}

// Weights over the largest one, so that none overflows. Who has not been there counts as one whose
// value is all left, unless nothing is left of it elsewhere.
double Combiner::weighted(std::span<const Change> changes,
                          std::size_t workers,
                          std::uint32_t age) const {
    std::int64_t most = 0;
    for (const Change& change : changes) {
        most = std::max(most, retention_.loss(age, change.visits));
    }
    double sum = 0;
    double weights = 0;
    for (const Change& change : changes) {
        const double weight = retention_.left(most - retention_.loss(age, change.visits));
        sum += weight * change.change;
        weights += weight;
    }
    if (!retention_.is_whole(age)) {
        weights += retention_.left(most) * static_cast<double>(workers - changes.size());
    }
    return sum / weights;
}

double Combiner::composed(std::span<const Change> changes, std::uint32_t age) const {
    double total = 0;
    for (const Change& change : changes) {
        total = left(age, change.visits) * total + change.change;
    }
    return total;
}

}  // namespace lockstep::rl
