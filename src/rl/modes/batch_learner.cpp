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
    update_all(transitions, counts);
    if (options_.buffer_size == 0) {
        return;
    }
    for (const Transition& transition : transitions) {
        if (buffer_.size() < at(options_.buffer_size)) {
            buffer_.push_back(transition);
        } else {
            buffer_[next_slot_] = transition;
        }
        next_slot_ = (next_slot_ + 1) % at(options_.buffer_size);
    }
    for (std::size_t i = 0; i < transitions.size() * at(options_.replays); ++i) {
        replay(counts);
    }
}

void BatchLearner::replay(Counts& counts) {
    auto draws = picks_.at(0, picked_++);
    update(buffer_[draws.below(static_cast<std::uint32_t>(buffer_.size()))], counts);
}

void BatchLearner::update_all(std::span<const Transition> transitions, Counts& counts) {
    if (options_.duplicates == Duplicates::sequential) {
        for (const Transition& transition : transitions) {
            update(transition, counts);
        }
        return;
    }
    pending_.clear();
    for (const Transition& transition : transitions) {
        const Update update = update_of(transition);
        pending_.push_back({update, table_.values()[at(update.cell)]});
    }
    for (const Pending& pending : pending_) {
        accumulate(pending, counts);
    }
}

BatchLearner::Update BatchLearner::update_of(const Transition& transition) {
    const Cells cells = table_.cells();
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

void BatchLearner::update(const Transition& transition, Counts& counts) {
    const Update update = update_of(transition);
    Cells cells = table_.cells();
    cells.touched = touched_;
    counts.note(
        touched_ == nullptr
            ? move_to<Access::own>(cells, update.cell, update.state, update.target, step_sizes_)
            : move_to<Access::tracked>(
                  cells, update.cell, update.state, update.target, step_sizes_));
}

void BatchLearner::accumulate(const Pending& pending, Counts& counts) {
    Cells cells = table_.cells();
    cells.touched = touched_;
    const double alpha = step_sizes_(visit<Access::own>(cells, pending.update.cell));
    const double error = pending.update.target - pending.value;
    cells.values[pending.update.cell] += alpha * error;
    if (touched_ != nullptr) {
        touch<Access::tracked>(cells, pending.update.state);
    }
    counts.note({error, alpha});
}

double BatchLearner::next_value(const Cells& cells, const Transition& transition) const {
    const auto row = static_cast<std::ptrdiff_t>(transition.next) * table_.actions();
    const ActionMask legal = table_.legal(transition.next);
    const Best best = best_or_refuse(cells.values + row, legal, table_.actions(), transition.next);
    return options_.algorithm == Algorithm::expected_sarsa
               ? behaviour_.expected(
                     {cells.values + row, cells.visits + row, legal, table_.actions()}, best)
               : best.value;
}

// The other table's value of the action that this one finds best.
double BatchLearner::double_target(const Cells& cells,
                                   const Transition& transition,
                                   int plane) const {
    const auto row = static_cast<std::ptrdiff_t>(transition.next) * table_.actions();
    const ActionMask legal = table_.legal(transition.next);
    const Best best = best_or_refuse(
        cells.values + plane * cells.plane + row, legal, table_.actions(), transition.next);
    return cells.values[(1 - plane) * cells.plane + row + std::countr_zero(best.ties)];
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
