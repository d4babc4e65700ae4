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

}  // namespace

Combiner::Combiner(Combine rule, const StepSize& step_size, int workers)
    : rule_(rule), ages_(rule, workers), retention_(step_size) {}

void Combiner::apply(std::span<const Delta* const> deltas,
                     const Cells& table,
                     std::size_t cells,
                     runtime::ThreadTeam& threads) const {
    const auto put = [](std::ptrdiff_t /*part*/, const auto& of, const Cell& cell) {
        set_value<Access::own>(of, cell.number, cell.value);
        of.visits[cell.number] = cell.visits;
    };
    for_each_part(deltas, table, cells, {}, threads, put);
}

void Combiner::prepare(std::span<const Delta* const> deltas,
                       const Cells& table,
                       std::size_t cells,
                       runtime::ThreadTeam& threads,
                       std::vector<CellList>& parts) const {
    parts.resize(at(cell_parts));
    std::ranges::for_each(parts, &CellList::clear);
    const auto put = [&](std::ptrdiff_t part, const auto& /*of*/, const Cell& cell) {
        parts[at(part)].add(cell.number, cell.value, cell.visits);
    };
    for_each_part(deltas, table, cells, {}, threads, put);
}

void Combiner::apply(std::span<const Delta* const> deltas,
                     const Cells& table,
                     std::size_t cells,
                     runtime::ThreadTeam& threads,
                     Delta& moved) const {
    std::array<Delta, at(cell_parts)> parts;
    const auto put = [&](std::ptrdiff_t part, const auto& of, const Cell& cell) {
        const double before = value_at<Access::own>(of, cell.number);
        set_value<Access::own>(of, cell.number, cell.value);
        const double after = value_at<Access::own>(of, cell.number);
        parts[at(part)].add(cell.number, after - before, cell.visits - of.visits[cell.number]);
        of.visits[cell.number] = cell.visits;
    };
    for_each_part(deltas, table, cells, moved, threads, put);
    moved.clear();
    for (const Delta& part : parts) {
        moved.cells.insert(moved.cells.end(), part.cells.begin(), part.cells.end());
        moved.changes.insert(moved.changes.end(), part.changes.begin(), part.changes.end());
        moved.visits.insert(moved.visits.end(), part.visits.begin(), part.visits.end());
    }
}

Combiner::Range Combiner::range_at(std::size_t cells, std::ptrdiff_t part) noexcept {
    const auto border = [=](std::ptrdiff_t i) {
        return static_cast<std::uint32_t>(std::uint64_t{cells} * at(i) / at(cell_parts));
    };
    return {border(part), border(part + 1)};
}

// Calls put(part, table, cell) on the threads.
template <typename Put>
void Combiner::for_each_part(std::span<const Delta* const> deltas,
                             const Cells& table,
                             std::size_t cells,
                             const Delta& since,
                             runtime::ThreadTeam& threads,
                             const Put& put) const {
    threads.parallel_for(cell_parts, [&](std::ptrdiff_t part, int) {
        std::visit(
            [&](const auto& of) {
                for_each_changed(deltas, range_at(cells, part), of, since, [&](const Cell& cell) {
                    put(part, of, cell);
                });
            },
            table);
    });
}

// Calls put(cell) for each that a worker has changed.
template <typename V, typename Put>
void Combiner::for_each_changed(std::span<const Delta* const> deltas,
                                const Range& range,
                                const CellsOf<V>& table,
                                const Delta& since,
                                const Put& put) const {
    Merge merge(deltas, range.begin);
    Lookup earlier(since, range.begin);
    std::vector<Change> changes;
    changes.reserve(deltas.size());
    for (std::uint64_t cell = merge.next(); cell < range.end; cell = merge.next()) {
        changes.clear();
        std::uint32_t visits = table.visits[cell];
        const auto [drift, drifted] = earlier.at_cell(cell);
        const auto age = ages_.of(visits - drifted);
        merge.take(cell, [&, drift = drift](double change, std::uint32_t visited) {
            changes.push_back({change, visited});
            if (drift != 0) {
                changes.back().change -= (1 - left(age, visited)) * drift;
            }
            visits = add_visits(visits, visited);
        });
        const double before = value_at<Access::own>(table, static_cast<std::ptrdiff_t>(cell));
        put({static_cast<std::uint32_t>(cell),
             before + combined(changes, deltas.size(), age),
             visits});
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
