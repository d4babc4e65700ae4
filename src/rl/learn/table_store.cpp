#include "rl/learn/table_store.hpp"

#include <algorithm>

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
      states_(world.states()),
      actions_(world.actions()),
      planes_(planes_of(options.algorithm)),
      legal_(at(states_)),
      values_(at(planes_) * at(states_) * at(actions_)),
      visits_(values_.size()) {
    for (int s = 0; s < states_; ++s) {
        legal_[at(s)] = world.mask(s);
    }
    for (std::size_t cell = 0; cell < values_.size(); ++cell) {
        const std::size_t pair = cell % pairs();
        const bool is_legal = (legal_[pair / at_actions()] >> pair % at_actions() & 1U) != 0;
        values_[cell] = is_legal ? options.initial_value : 0;
    }
    if (options.first_table) {
        begin_with(*options.first_table);
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
    for (std::size_t cell = 0; cell < values_.size(); ++cell) {
        const std::size_t pair = cell % pairs();
        const bool is_first = cell < pairs();
        values_[cell] = first.values[pair];
        visits_[cell] = first.visits[pair] / planes + (is_first ? first.visits[pair] % planes : 0);
    }
}

Cells TableStore::cells() noexcept {
    return {values_.data(), visits_.data(), nullptr, static_cast<std::ptrdiff_t>(pairs())};
}

QTable TableStore::table() const {
    const auto end = static_cast<std::ptrdiff_t>(pairs());
    QTable table{states_,
                 actions_,
                 {values_.begin(), values_.begin() + end},
                 {visits_.begin(), visits_.begin() + end}};
    if (algorithm_ == Algorithm::double_q) {
        for (std::size_t pair = 0; pair < pairs(); ++pair) {
            table.values[pair] = (values_[pair] + values_[pairs() + pair]) / 2;
            table.visits[pair] = add_visits(visits_[pair], visits_[pairs() + pair]);
        }
    }
    return table;
}

int TableStore::parts() const noexcept {
    return static_cast<int>((values_.size() + cells_of_a_part - 1) / cells_of_a_part);
}

std::vector<std::byte> TableStore::part(int index) const {
    const std::size_t begin = at(index) * cells_of_a_part;
    const std::size_t count = std::min(cells_of_a_part, values_.size() - begin);
    ByteWriter bytes;
    bytes.add_array(values().subspan(begin, count));
    bytes.add_array(visits().subspan(begin, count));
    return bytes.take();
}

void TableStore::load_part(int index, std::span<const std::byte> bytes) {
    const std::size_t begin = at(index) * cells_of_a_part;
    const std::size_t count = std::min(cells_of_a_part, values_.size() - begin);
    ByteReader reader(bytes);
    const auto values = reader.read_array<double>();
    const auto visits = reader.read_array<std::uint32_t>();
    if (values.size() != count || visits.size() != count || !reader.at_end()) {
        throw InputError(fmt::format(
            "the checkpoint is of another table: part {} holds {} values, {} belong there",
            index,
            values.size(),
            count));
    }
    std::copy(values.begin(), values.end(), values_.begin() + static_cast<std::ptrdiff_t>(begin));
    std::copy(visits.begin(), visits.end(), visits_.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace lockstep::rl
