#include "rl/modes/batch_learner.hpp"

#include <array>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {

BatchLearner::BatchLearner(const World& world, const LearnOptions& options, TableStore& table)
    : options_(options),
      table_(table),
      behaviour_(options.exploration),
      step_sizes_(options.learning_rate),
      gamma_(world.alternates() ? -options.discount_factor : options.discount_factor),
      coins_(options.seed, "rl.coin"),
      picks_(options.seed, "rl.replay") {
    buffer_.reserve(at(options.buffer_size));
    pending_.reserve(options.duplicates == Duplicates::accumulating ? at(options.batch_size) : 0);
}

void BatchLearner::learn(std::span<const Transition> transitions,
                         std::int64_t played,
                         Counts& counts) {
    behaviour_.set_level(played - played % (Behaviour::steps_of_a_level * options_.batch_size));
    std::visit([&](const auto& cells) { learn_on(cells, transitions, counts); },
               table_.store().cells(touched_));
}

template <typename V>
void BatchLearner::learn_on(const CellsOf<V>& cells,
                            std::span<const Transition> transitions,
                            Counts& counts) {
    update_all(cells, transitions, counts);
    if (options_.buffer_size == 0) {
        return;
    }
    keep(transitions);
    for (std::size_t i = 0; i < transitions.size() * at(options_.replays); ++i) {
        auto draws = picks_.at(0, picked_++);
        update(cells, buffer_[draws.below(static_cast<std::uint32_t>(buffer_.size()))], counts);
    }
}

void BatchLearner::keep(std::span<const Transition> transitions) {
    for (const Transition& transition : transitions) {
        if (buffer_.size() < at(options_.buffer_size)) {
            buffer_.push_back(transition);
        } else {
            buffer_[next_slot_] = transition;
        }
        next_slot_ = (next_slot_ + 1) % at(options_.buffer_size);
    }
}

template <typename V>
void BatchLearner::update_all(const CellsOf<V>& cells,
                              std::span<const Transition> transitions,
                              Counts& counts) {
    if (options_.duplicates == Duplicates::sequential) {
        for (const Transition& transition : transitions) {
            update(cells, transition, counts);
        }
        return;
    }
    pending_.clear();
    for (const Transition& transition : transitions) {
        const Update update = update_of(cells, transition);
        pending_.push_back({update, value_at<Access::own>(cells, update.cell)});
    }
    for (const Pending& pending : pending_) {
        accumulate(cells, pending, counts);
    }
}

template <typename V>
BatchLearner::Update BatchLearner::update_of(const CellsOf<V>& cells,
                                             const Transition& transition) {
    const auto pair =
        static_cast<std::ptrdiff_t>(transition.state) * table_.actions() + transition.action;
    double target = transition.reward;
    ++updates_;
    int plane = 0;
    if (options_.algorithm == Algorithm::double_q) {
        plane = static_cast<int>(coins_.at(0, updates_).below(2));
    }
    if (transition.terminated == 0) {
        target += gamma_ * (options_.algorithm == Algorithm::double_q
                                ? double_target(cells, transition, plane)
                                : next_value(cells, transition));
    }
    return {plane * cells.plane + pair, transition.state, target};
}

template <typename V>
void BatchLearner::update(const CellsOf<V>& cells, const Transition& transition, Counts& counts) {
    const Update update = update_of(cells, transition);
    counts.note(
        cells.touched == nullptr
            ? move_to<Access::own>(cells, update.cell, update.state, update.target, step_sizes_)
            : move_to<Access::tracked>(
                  cells, update.cell, update.state, update.target, step_sizes_));
}

template <typename V>
void BatchLearner::accumulate(const CellsOf<V>& cells, const Pending& pending, Counts& counts) {
    const auto cell = pending.update.cell;
    const double alpha = step_sizes_(visit<Access::own>(cells, cell));
    const double error = pending.update.target - pending.value;
    set_value<Access::own>(cells, cell, value_at<Access::own>(cells, cell) + alpha * error);
    if (cells.touched != nullptr) {
        touch<Access::tracked>(cells, pending.update.state);
    }
    counts.note({error, alpha});
}

template <typename V>
double BatchLearner::next_value(const CellsOf<V>& cells, const Transition& transition) const {
    const auto row = static_cast<std::ptrdiff_t>(transition.next) * table_.actions();
    const ActionMask legal = table_.legal(transition.next);
    const Best best = best_or_refuse(cells.values + row, legal, table_.actions(), transition.next);
    return options_.algorithm == Algorithm::expected_sarsa
               ? behaviour_.expected(
                     RowView{cells.values + row, cells.visits + row, legal, table_.actions()}, best)
               : best.value;
}

// The other table's value of the action that this one finds best.
template <typename V>
double BatchLearner::double_target(const CellsOf<V>& cells,
                                   const Transition& transition,
                                   int plane) const {
    const auto row = static_cast<std::ptrdiff_t>(transition.next) * table_.actions();
    const ActionMask legal = table_.legal(transition.next);
    const Best best = best_or_refuse(
        cells.values + plane * cells.plane + row, legal, table_.actions(), transition.next);
    return value_at<Access::own>(cells,
                                 (1 - plane) * cells.plane + row + std::countr_zero(best.ties));
}

void BatchLearner::save(ByteWriter& bytes) const {
    bytes.add(updates_);
    bytes.add(picked_);
    bytes.add(static_cast<std::uint64_t>(next_slot_));
    bytes.add_array(buffer_);
}

void BatchLearner::load(ByteReader& bytes) {
    updates_ = bytes.read<std::uint64_t>();
    picked_ = bytes.read<std::uint64_t>();
    next_slot_ = static_cast<std::size_t>(bytes.read<std::uint64_t>());
    buffer_ = bytes.read_array<Transition>();
    if (buffer_.size() > at(options_.buffer_size) ||
        (options_.buffer_size > 0 && next_slot_ >= at(options_.buffer_size))) {
        throw InputError("the checkpoint is of another replay buffer");
    }
}

}  // namespace lockstep::rl
