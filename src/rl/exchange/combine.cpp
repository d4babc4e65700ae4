#include "rl/exchange/combine.hpp"

#include <algorithm>
#include <limits>

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

}  // namespace

Combiner::Combiner(Combine rule, const StepSize& step_size, int workers)
    : rule_(rule), ages_(rule, workers), retention_(step_size) {}

void Combiner::apply(std::span<const Delta* const> deltas,
                     std::uint32_t begin,
                     std::uint32_t end,
                     const Cells& table) const {
    Merge merge(deltas, begin);
    std::vector<Change> changes;
    changes.reserve(deltas.size());
    for (std::uint64_t cell = merge.next(); cell < end; cell = merge.next()) {
        changes.clear();
        std::uint32_t& visits = table.visits[cell];
        std::uint32_t after = visits;
        merge.take(cell, [&](double change, std::uint32_t visited) {
            changes.push_back({change, visited});
            after = add_visits(after, visited);
        });
        table.values[cell] += combined(changes, deltas.size(), ages_.of(visits));
        visits = after;
    }
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
        const double left =
            retention_.is_whole(age) ? 0 : retention_.left(retention_.loss(age, change.visits));
        total = left * total + change.change;
    }
    return total;
}

}  // namespace lockstep::rl
