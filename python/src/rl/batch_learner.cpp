#include "rl/batch_learner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/seat.hpp"

namespace lockstep::python {

namespace {

void require_length(std::size_t found, std::size_t wanted, const char* name) {
    if (found != wanted) {
        throw InputError(fmt::format(
            "{} has {} entries, must have {} as observations has", name, found, wanted));
    }
}

/// Legal actions of each entry of a batch, from an array of truth values.
class Masks {
public:
    Masks(nb::handle given, const char* name, std::size_t entries, int actions)
        : actions_(static_cast<std::size_t>(actions)), all_(rl::all_actions(actions)) {
        if (given.is_none()) {
            return;
        }
        given_.emplace(given, name, 2);
        require_length(given_->length(0), entries, name);
        if (given_->length(1) != actions_) {
            throw InputError(fmt::format("{} has {} columns, must have {}, one an action",
                                         name,
                                         given_->length(1),
                                         actions));
        }
    }

    /// Every action is legal.
    [[nodiscard]] bool are_all() const { return !given_; }
    [[nodiscard]] rl::ActionMask operator[](std::size_t i) const {
        if (!given_) {
            return all_;
        }
        rl::ActionMask mask = 0;
        for (std::size_t a = 0; a < actions_; ++a) {
            mask |= rl::ActionMask{given_->values()[i * actions_ + a]} << a;
        }
        return mask;
    }

private:
    std::size_t actions_;
    rl::ActionMask all_;
    std::optional<Numbers<bool>> given_;
};

rl::LearnOptions checked(const rl::LearnOptions& options) {
    using rl::Algorithm;
    if (options.algorithm != Algorithm::q_learning &&
        options.algorithm != Algorithm::expected_sarsa) {
        throw InputError(
            fmt::format("algorithm is {}, which needs more than single transitions: a learner of "
                        "batches takes q_learning or expected_sarsa",
                        to_string(options.algorithm)));
    }
    if (options.table_precision != rl::Precision::f64) {
        throw InputError("table_precision is f32: a learner of batches stores float64");
    }
    return options;
}

/// What is kept of so many entries stays in the first cache.
constexpr std::size_t entries_at_once = 256;

/// Its highest bit is set where the number is not in [0, end), end >= 1.
constexpr std::uint64_t outside_bit(std::int64_t number, std::int64_t end) {
    const auto bits = static_cast<std::uint64_t>(number);
    return bits | (static_cast<std::uint64_t>(end) - 1 - bits);
}

/// `work` with the number of actions, which the compiler knows where it is a usual one.
template <typename Work>
void with_actions(int actions, const Work& work) {
    switch (actions) {
        case 2:
            return work(std::integral_constant<int, 2>());
        case 4:
            return work(std::integral_constant<int, 4>());
        case 6:
            return work(std::integral_constant<int, 6>());
        default:
            return work(actions);
    }
}

void require_sizes(int states, int actions) {
    if (states < 1 || actions < 1 || actions > 64) {
        throw InputError(fmt::format(
            "a table of {} states with {} actions: must be at least 1 state and 1 to 64 actions",
            states,
            actions));
    }
}

}  // namespace

/// The arrays of a call.
struct BatchLearner::Batch {
    Numbers<std::int64_t> observations;
    Numbers<std::int64_t> actions;
    Numbers<double> rewards;
    Numbers<std::int64_t> next;
    Numbers<bool> terminated;
    Numbers<bool> truncated;
    Masks masks;
};

BatchLearner::BatchLearner(int states,
                           int actions,
                           const rl::LearnOptions& options,
                           nb::object values)
    : states_(states),
      actions_(actions),
      options_(checked(options)),
      streams_(options.seed, rl::play_purpose),
      behaviour_(options.exploration),
      step_sizes_(options.learning_rate),
      blocks_(entries_at_once) {
    require_sizes(states, actions);
    const auto cells = static_cast<std::size_t>(states) * static_cast<std::size_t>(actions);
    visits_.assign(cells, 0);
    if (values.is_none()) {
        own_values_.assign(cells, options.initial_value);
        cells_.values = own_values_.data();
    } else {
        lent_values_.emplace(values, "values", 2);
        if (lent_values_->length(0) != static_cast<std::size_t>(states) ||
            lent_values_->length(1) != static_cast<std::size_t>(actions)) {
            throw InputError(fmt::format("values has the shape ({}, {}), must have ({}, {})",
                                         lent_values_->length(0),
                                         lent_values_->length(1),
                                         states,
                                         actions));
        }
        cells_.values = lent_values_->values().data();
    }
    cells_.visits = visits_.data();
    cells_.plane = static_cast<std::ptrdiff_t>(cells);
}

void BatchLearner::grow(int states) {
    if (lent_values_ || states < states_) {
        throw InputError(fmt::format("the table has {} states{}: it cannot get {}",
                                     states_,
                                     lent_values_ ? " in an array that was lent" : "",
                                     states));
    }
    states_ = states;
    const auto cells = static_cast<std::size_t>(states) * static_cast<std::size_t>(actions_);
    own_values_.resize(cells, options_.initial_value);
    visits_.resize(cells, 0);
    cells_.values = own_values_.data();
    cells_.visits = visits_.data();
    cells_.plane = static_cast<std::ptrdiff_t>(cells);
}

void BatchLearner::require_state(std::int64_t s, std::size_t i, const char* name) const {
    if (s < 0 || s >= states_) {
        throw InputError(
            fmt::format("{}[{}] is {}, must be from 0 to {}", name, i, s, states_ - 1));
    }
}

void BatchLearner::choose(nb::handle observations,
                          nb::handle out,
                          nb::handle masks,
                          bool is_greedy) {
    const Numbers<std::int64_t> states(observations, "observations");
    const WritableNumbers<std::int64_t> chosen(out, "out");
    const std::size_t count = states.size();
    require_length(chosen.size(), count, "out");
    const Masks legal(masks, "masks", count, actions_);
    require_states(states.values());
    if (is_greedy) {
        for (std::size_t i = 0; i < count; ++i) {
            const auto s = states.values()[i];
            const auto best = rl::best_or_refuse(
                cells_.values + s * actions_, legal[i], actions_, static_cast<std::int32_t>(s));
            chosen.values()[i] = std::countr_zero(best.ties);
        }
        return;
    }
    behaviour_.set_level(transitions_);
    for (std::size_t first = 0; first < count; first += entries_at_once) {
        const std::size_t size = std::min(count - first, entries_at_once);
        streams_.fill_items(static_cast<std::uint32_t>(first), calls_, {blocks_.data(), size});
        const auto from = states.values().subspan(first, size);
        const auto to = chosen.values().subspan(first, size);
        if (behaviour_.is_plain() && legal.are_all()) {
            choose_plainly(from, to);
        } else {
            choose_any(from, to, [&](std::size_t i) { return legal[first + i]; });
        }
    }
    ++calls_;
}

// What is written may be a member as far as the compiler knows: copies stay in registers.
void BatchLearner::choose_plainly(std::span<const std::int64_t> states,
                                  std::span<std::int64_t> chosen) const {
    const rl::Behaviour behaviour = behaviour_;
    const double* const values = cells_.values;
    const rl::DrawBlock* const blocks = blocks_.data();
    with_actions(actions_, [&](auto actions) {
        const rl::ActionMask all = rl::all_actions(actions);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto best = rl::best_or_refuse(
                values + states[i] * actions, all, actions, static_cast<std::int32_t>(states[i]));
            chosen[i] = behaviour.choose_of_many(all, best, blocks[i][0]);
        }
    });
}

template <typename LegalOf>
void BatchLearner::choose_any(std::span<const std::int64_t> states,
                              std::span<std::int64_t> chosen,
                              const LegalOf& legal_of) const {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto row = states[i] * actions_;
        const auto legal = legal_of(i);
        const auto best = rl::best_or_refuse(
            cells_.values + row, legal, actions_, static_cast<std::int32_t>(states[i]));
        const rl::RowView view{cells_.values + row, cells_.visits + row, legal, actions_};
        chosen[i] = behaviour_.choose(view, best, blocks_[i][0]);
    }
}

// Names the first fault.
void BatchLearner::refuse(const Batch& batch) const {
    for (std::size_t i = 0; i < batch.observations.size(); ++i) {
        require_state(batch.observations.values()[i], i, "observations");
        const auto action = batch.actions.values()[i];
        if (action < 0 || action >= actions_) {
            throw InputError(
                fmt::format("actions[{}] is {}, must be from 0 to {}", i, action, actions_ - 1));
        }
        const double reward = batch.rewards.values()[i];
        if (!std::isfinite(reward)) {
            throw InputError(fmt::format("rewards[{}] is {}, must be a finite number", i, reward));
        }
        if (!batch.terminated.values()[i]) {
            require_state(batch.next.values()[i], i, "next_observations");
        }
    }
    throw std::logic_error("a batch without a fault was refused");
}

void BatchLearner::require_states(std::span<const std::int64_t> states) const {
    std::uint64_t outside = 0;
    for (const std::int64_t s : states) {
        outside |= outside_bit(s, states_);
    }
    for (std::size_t i = 0; outside >> 63U != 0 && i < states.size(); ++i) {
        require_state(states[i], i, "observations");
    }
}

// One loop without branches, before anything is learned.
void BatchLearner::require_sound(const Batch& batch) const {
    const std::size_t count = batch.observations.size();
    const std::int64_t* const observations = batch.observations.values().data();
    const std::int64_t* const actions = batch.actions.values().data();
    const double* const rewards = batch.rewards.values().data();
    const std::int64_t* const next = batch.next.values().data();
    const bool* const terminated = batch.terminated.values().data();
    std::uint64_t faults = 0;
    for (std::size_t i = 0; i < count; ++i) {
        constexpr std::uint64_t exponent = 0x7FF0000000000000;
        const std::uint64_t follows = std::uint64_t{terminated[i]} - 1;  // all bits, or none
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(rewards[i]) & exponent;
        faults |= outside_bit(observations[i], states_) | outside_bit(actions[i], actions_) |
                  (outside_bit(next[i], states_) & follows) | (bits + (exponent & -exponent));
    }
    if (faults >> 63U != 0) [[unlikely]] {
        refuse(batch);
    }
}

void BatchLearner::find_cells(const Batch& batch, std::size_t first, std::size_t count) {
    cells_of_batch_.resize(count);
    const std::int64_t* const observations = batch.observations.values().data() + first;
    const std::int64_t* const actions = batch.actions.values().data() + first;
    const std::int64_t width = actions_;
    std::ptrdiff_t* const cells = cells_of_batch_.data();
    for (std::size_t i = 0; i < count; ++i) {
        cells[i] = observations[i] * width + actions[i];
    }
}

// Counts visits too.
void BatchLearner::find_step_sizes() {
    const std::size_t count = cells_of_batch_.size();
    visits_of_batch_.resize(count);
    sizes_.resize(count);
    const auto table = cells_;
    const std::ptrdiff_t* const cells = cells_of_batch_.data();
    std::uint32_t* const visits = visits_of_batch_.data();
    for (std::size_t i = 0; i < count; ++i) {
        visits[i] = rl::visit<rl::Access::own>(table, cells[i]);
    }
    step_sizes_.of_each(visits_of_batch_, sizes_);
}

// Cut short is not over: what follows the last state of a truncated episode counts.
template <bool Expected>
double BatchLearner::target(const Batch& batch, std::size_t i) const {
    const double reward = batch.rewards.values()[i];
    if (batch.terminated.values()[i]) {
        return reward;
    }
    const auto next = batch.next.values()[i];
    const auto row = static_cast<std::ptrdiff_t>(next) * actions_;
    const auto legal = batch.masks[i];
    const auto best =
        rl::best_or_refuse(cells_.values + row, legal, actions_, static_cast<std::int32_t>(next));
    if constexpr (Expected) {
        const rl::RowView view{cells_.values + row, cells_.visits + row, legal, actions_};
        return reward + options_.discount_factor * behaviour_.expected(view, best);
    }
    return reward + options_.discount_factor * best.value;
}

template <typename LegalOf>
void BatchLearner::move_values(const Batch& batch, std::size_t first, const LegalOf& legal_of) {
    const double* const rewards = batch.rewards.values().data() + first;
    const std::int64_t* const next = batch.next.values().data() + first;
    const bool* const terminated = batch.terminated.values().data() + first;
    const std::ptrdiff_t* const cells = cells_of_batch_.data();
    const double* const sizes = sizes_.data();
    const std::size_t count = cells_of_batch_.size();
    const double discount = options_.discount_factor;
    double* const values = cells_.values;
    double errors = errors_;
    with_actions(actions_, [&](auto actions) {
        for (std::size_t i = 0; i < count; ++i) {
            double target = rewards[i];
            if (!terminated[i]) {
                const double* const row = values + next[i] * actions;
                const auto s = static_cast<std::int32_t>(next[i]);
                target +=
                    discount * rl::best_or_refuse(row, legal_of(i, actions), actions, s).value;
            }
            const double error = target - values[cells[i]];
            values[cells[i]] += sizes[i] * error;
            errors += std::abs(error);
        }
    });
    errors_ = errors;
}

void BatchLearner::learn_in_turn(const Batch& batch) {
    const std::size_t count = batch.observations.size();
    for (std::size_t first = 0; first < count; first += entries_at_once) {
        find_cells(batch, first, std::min(count - first, entries_at_once));
        find_step_sizes();
        if (batch.masks.are_all()) {
            move_values(batch, first, [](std::size_t, auto n) { return rl::all_actions(n); });
        } else {
            move_values(batch, first, [&](std::size_t i, auto) { return batch.masks[first + i]; });
        }
    }
}

// What is expected may depend on visits so far: they are counted one by one.
void BatchLearner::learn_expected_in_turn(const Batch& batch) {
    find_cells(batch, 0, batch.observations.size());
    double errors = 0;
    for (std::size_t i = 0; i < cells_of_batch_.size(); ++i) {
        const auto change = rl::move_to<rl::Access::own>(
            cells_, cells_of_batch_[i], 0, target<true>(batch, i), step_sizes_);
        errors += std::abs(change.error);
    }
    errors_ += errors;
}

template <bool Expected>
void BatchLearner::learn_at_once(const Batch& batch) {
    const std::size_t count = batch.observations.size();
    find_cells(batch, 0, count);
    changes_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double error = target<Expected>(batch, i) - cells_.values[cells_of_batch_[i]];
        changes_[i] = error;
        errors_ += std::abs(error);
    }
    find_step_sizes();
    for (std::size_t i = 0; i < count; ++i) {
        cells_.values[cells_of_batch_[i]] += sizes_[i] * changes_[i];
    }
}

void BatchLearner::learn(nb::handle observations,
                         nb::handle actions,
                         nb::handle rewards,
                         nb::handle next_observations,
                         nb::handle terminated,
                         nb::handle truncated,
                         nb::handle next_masks) {
    const std::size_t count = Numbers<std::int64_t>(observations, "observations").size();
    const Batch batch{{observations, "observations"},
                      {actions, "actions"},
                      {rewards, "rewards"},
                      {next_observations, "next_observations"},
                      {terminated, "terminated"},
                      {truncated, "truncated"},
                      {next_masks, "next_masks", count, actions_}};
    require_length(batch.actions.size(), count, "actions");
    require_length(batch.rewards.size(), count, "rewards");
    require_length(batch.next.size(), count, "next_observations");
    require_length(batch.terminated.size(), count, "terminated");
    require_length(batch.truncated.size(), count, "truncated");
    require_sound(batch);
    const bool is_expected = options_.algorithm == rl::Algorithm::expected_sarsa;
    if (options_.duplicates == rl::Duplicates::accumulating) {
        is_expected ? learn_at_once<true>(batch) : learn_at_once<false>(batch);
    } else {
        is_expected ? learn_expected_in_turn(batch) : learn_in_turn(batch);
    }
    transitions_ += static_cast<std::int64_t>(count);
}

double BatchLearner::exploration() const {
    return options_.exploration.level.at(transitions_);
}

double BatchLearner::error() const noexcept {
    return transitions_ == 0 ? 0 : errors_ / static_cast<double>(transitions_);
}

rl::QTable BatchLearner::table() const {
    rl::QTable table{states_, actions_, {}, visits_};
    table.values.assign(cells_.values, cells_.values + cells_.plane);
    return table;
}

}  // namespace lockstep::python
