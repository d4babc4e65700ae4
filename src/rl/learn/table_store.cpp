#include "rl/learn/table_store.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr std::size_t cells_of_a_part = std::size_t{1} << 20U;

}  // namespace

int planes_of(Algorithm algorithm) noexcept {
    return algorithm == Algorithm::double_q ? 2 : 1;
}

TableStore::TableStore(const World& world, const LearnOptions& options)
    : algorithm_(options.algorithm),
      precision_(options.table_precision),
      states_(world.states()),
      actions_(world.actions()),
      planes_(planes_of(options.algorithm)),
      legal_(at(states_)),
      store_(precision_, at(planes_) * pairs(), pairs()) {
    for (int s = 0; s < states_; ++s) {
        legal_[at(s)] = world.mask(s);
    }
    if (options.first_table) {
        begin_with(*options.first_table);
    } else {
        fill(options.initial_value);
    }
}

void TableStore::fill(double initial_value) {
    for (std::size_t cell = 0; cell < store_.size(); ++cell) {
        const std::size_t pair = cell % pairs();
        const bool is_legal = (legal_[pair / at_actions()] >> pair % at_actions() & 1U) != 0;
        store_.set_value(cell, is_legal ? initial_value : 0);
    }
}

// Of two tables each has the values, and half of the visits.
void TableStore::begin_with(const QTable& first) {
    if (first.states != states_ || first.actions != actions_) {
        throw InputError(
            fmt::format("the first table has {} states with {} actions: must have {} with {}",
                        first.states,
                        first.actions,
                        states_,
                        actions_));
    }
    const auto planes = static_cast<std::uint32_t>(planes_);
    for (std::size_t cell = 0; cell < store_.size(); ++cell) {
        const std::size_t pair = cell % pairs();
        const bool is_first = cell < pairs();
        store_.set_value(cell, first.values[pair]);
        if (!std::isfinite(store_.value(cell))) {
            throw InputError(
                fmt::format("the first table has the value {} for action {} in state {}: values "
                            "of table_precision {} are finite numbers of at most {:.3g}",
                            first.values[pair],
                            pair % at_actions(),
                            pair / at_actions(),
                            to_string(precision_),
                            largest_of(precision_)));
        }
        store_.visits()[cell] =
            first.visits[pair] / planes + (is_first ? first.visits[pair] % planes : 0);
    }
}

void TableStore::move_to(const std::shared_ptr<comm::Communicator>& node,
                         const std::function<void(CellStore&)>& complete) {
    auto memory = runtime::NodeMemory::create(node, CellStore::bytes_of(precision_, store_.size()));
    if (memory && !memory->region().is_shared()) {
        memory.reset();
    }
    if (!memory && !is_shared()) {
        complete(store_);
        return;
    }
    CellStore moved(precision_, store_.size(), pairs(), memory);
    if (!memory || memory->is_writer()) {
        moved.fill(store_);
        complete(moved);
    }
    if (memory) {
        memory->region().publish();
    }
    store_ = std::move(moved);
    holders_ = memory ? node->size() : 1;
}

void TableStore::publish() {
    if (is_shared()) {
        store_.shared()->region().publish();
    }
}

QTable TableStore::table() const {
    const auto end = static_cast<std::ptrdiff_t>(pairs());
    const auto visits = store_.visits();
    QTable table{states_, actions_, {}, {visits.begin(), visits.begin() + end}, precision_};
    store_.with_values([&]<typename V>(std::span<const V> values) {
        table.values.assign(values.begin(), values.begin() + end);
        if (algorithm_ == Algorithm::double_q) {
            for (std::size_t pair = 0; pair < pairs(); ++pair) {
                const double mean = (table.values[pair] + double{values[pairs() + pair]}) / 2;
                table.values[pair] = double{static_cast<V>(mean)};
                table.visits[pair] = add_visits(visits[pair], visits[pairs() + pair]);
            }
        }
    });
    return table;
}

int TableStore::parts() const noexcept {
    return static_cast<int>((store_.size() + cells_of_a_part - 1) / cells_of_a_part);
}

std::vector<std::byte> TableStore::part(int index) const {
    const std::size_t begin = at(index) * cells_of_a_part;
    ByteWriter bytes;
    store_.save(bytes, begin, std::min(cells_of_a_part, store_.size() - begin));
    return bytes.take();
}

void TableStore::load_part(int index, std::span<const std::byte> bytes) {
    const std::size_t begin = at(index) * cells_of_a_part;
    ByteReader reader(bytes);
    store_.load(reader, begin, std::min(cells_of_a_part, store_.size() - begin));
    if (!reader.at_end()) {
        throw InputError("the checkpoint is of another table: it holds more than this one");
    }
}

}  // namespace lockstep::rl
