#include "rl/batch_learner.hpp"

#include <bit>
#include <cmath>

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
      step_sizes_(options.learning_rate) {
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

std::ptrdiff_t BatchLearner::row_of(std::int64_t s, std::size_t i, const char* name) const {
    if (static_cast<std::uint64_t>(s) >= static_cast<std::uint64_t>(states_)) [[unlikely]] {
        throw InputError(
            fmt::format("{}[{}] is {}, must be from 0 to {}", name, i, s, states_ - 1));
    }
    return static_cast<std::ptrdiff_t>(s) * actions_;
}

// The usual numbers of actions are known to the compiler.
[[gnu::always_inline]] inline rl::Best BatchLearner::best_in(std::ptrdiff_t row,
                                                             rl::ActionMask legal,
                                                             std::int64_t state) const {
    const double* const values = cells_.values + row;
    const auto s = static_cast<std::int32_t>(state);
    if (legal == rl::all_actions(actions_)) {
        switch (actions_) {
            case 2:
                return rl::best_or_refuse(values, rl::all_actions(2), 2, s);
            case 4:
                return rl::best_or_refuse(values, rl::all_actions(4), 4, s);
            case 6:
                return rl::best_or_refuse(values, rl::all_actions(6), 6, s);
            default:
                break;
        }
    }
    return rl::best_or_refuse(values, legal, actions_, s);
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
    if (is_greedy) {
        for (std::size_t i = 0; i < count; ++i) {
            const auto s = states.values()[i];
            const auto best = best_in(row_of(s, i, "observations"), legal[i], s);
            chosen.values()[i] = std::countr_zero(best.ties);
        }
        return;
    }
    behaviour_.set_level(transitions_);
    blocks_.resize(count);
    streams_.fill_items(0, calls_++, blocks_);
    for (std::size_t i = 0; i < count; ++i) {
        const auto s = states.values()[i];
        const auto row = row_of(s, i, "observations");
        const auto mask = legal[i];
        const auto best = best_in(row, mask, s);
        chosen.values()[i] =
            behaviour_.choose(rl::RowView{cells_.values + row, cells_.visits + row, mask, actions_},
                              best,
                              blocks_[i][0]);
    }
}

std::ptrdiff_t BatchLearner::cell_of(const Batch& batch, std::size_t i) const {
    const auto row = row_of(batch.observations.values()[i], i, "observations");
    const auto action = batch.actions.values()[i];
    if (static_cast<std::uint64_t>(action) >= static_cast<std::uint64_t>(actions_)) [[unlikely]] {
        throw InputError(
            fmt::format("actions[{}] is {}, must be from 0 to {}", i, action, actions_ - 1));
    }
    if (!std::isfinite(batch.rewards.values()[i])) [[unlikely]] {
        throw InputError(fmt::format(
            "rewards[{}] is {}, must be a finite number", i, batch.rewards.values()[i]));
    }
    return row + static_cast<std::ptrdiff_t>(action);
}

// Cut short is not over: what follows the last state of a truncated episode counts.
template <bool Expected>
double BatchLearner::target(const Batch& batch, std::size_t i) const {
    const double reward = batch.rewards.values()[i];
    if (batch.terminated.values()[i]) {
        return reward;
    }
    const auto next = batch.next.values()[i];
    const auto row = row_of(next, i, "next_observations");
    const auto legal = batch.masks[i];
    const auto best = best_in(row, legal, next);
    if constexpr (Expected) {
        const rl::RowView view{cells_.values + row, cells_.visits + row, legal, actions_};
        return reward + options_.discount_factor * behaviour_.expected(view, best);
    }
    return reward + options_.discount_factor * best.value;
}

template <bool Expected>
void BatchLearner::learn_in_turn(const Batch& batch) {
    const std::size_t count = batch.observations.size();
    double errors = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto cell = cell_of(batch, i);
        const auto change =
            rl::move_to<rl::Access::own>(cells_, cell, 0, target<Expected>(batch, i), step_sizes_);
        errors += std::abs(change.error);
    }
    errors_ += errors;
}

template <bool Expected>
void BatchLearner::learn_at_once(const Batch& batch) {
    const std::size_t count = batch.observations.size();
    changes_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double error = target<Expected>(batch, i) - cells_.values[cell_of(batch, i)];
        changes_[i] = error;
        errors_ += std::abs(error);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto cell = cell_of(batch, i);
        cells_.values[cell] += step_sizes_(rl::visit<rl::Access::own>(cells_, cell)) * changes_[i];
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
    const bool is_expected = options_.algorithm == rl::Algorithm::expected_sarsa;
    if (options_.duplicates == rl::Duplicates::accumulating) {
        is_expected ? learn_at_once<true>(batch) : learn_at_once<false>(batch);
    } else {
        is_expected ? learn_in_turn<true>(batch) : learn_in_turn<false>(batch);
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
