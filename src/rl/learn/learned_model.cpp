#include "lockstep/rl/learn/learned_model.hpp"

#include <algorithm>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {

LearnedModel::LearnedModel(int states, int actions)
    : actions_(at(actions)), slots_(at(states) * actions_, 0), before_(at(states)) {}

void LearnedModel::add(
    std::int32_t s, int action, double reward, std::int32_t next, bool terminated) {
    const auto pair = static_cast<std::int64_t>(at(s) * actions_ + at(action));
    std::int32_t& slot = slots_[at(pair)];
    if (slot == 0) {
        pairs_.push_back(pair);
        outcomes_.emplace_back();
        times_.push_back(0);
        slot = static_cast<std::int32_t>(pairs_.size());
    }
    ++times_[at(slot - 1)];
    auto& outcomes = outcomes_[at(slot - 1)];
    const auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const Seen& seen) {
        return seen.next == next && (seen.terminated != 0) == terminated;
    });
    if (same != outcomes.end()) {
        ++same->times;
        same->reward += reward;
        return;
    }
    outcomes.push_back({reward, next, 1, terminated ? 1 : 0});
    if (!terminated) {
        before_[at(next)].push_back(pair);
    }
}

std::span<const LearnedModel::Seen> LearnedModel::outcomes(std::int64_t pair) const {
    const std::int32_t slot = slots_[at(pair)];
    return slot == 0 ? std::span<const Seen>() : std::span<const Seen>(outcomes_[at(slot - 1)]);
}

std::uint64_t LearnedModel::times(std::int64_t pair) const {
    const std::int32_t slot = slots_[at(pair)];
    return slot == 0 ? 0 : times_[at(slot - 1)];
}

std::span<const std::int64_t> LearnedModel::before(std::int32_t s) const {
    return before_[at(s)];
}

void LearnedModel::save(ByteWriter& bytes) const {
    bytes.add_array(pairs_);
    for (const auto& outcomes : outcomes_) {
        bytes.add_array(outcomes);
    }
    for (const auto& before : before_) {
        bytes.add_array(before);
    }
}

void LearnedModel::load(ByteReader& bytes) {
    pairs_ = bytes.read_array<std::int64_t>();
    outcomes_.clear();
    times_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
    for (const std::int64_t pair : pairs_) {
        if (pair < 0 || at(pair) >= slots_.size()) {
            throw InputError("the checkpoint is of another process: a pair does not exist");
        }
        auto& outcomes = outcomes_.emplace_back(bytes.read_array<Seen>());
        times_.push_back(0);
        for (const Seen& seen : outcomes) {
            times_.back() += seen.times;
        }
        slots_[at(pair)] = static_cast<std::int32_t>(outcomes_.size());
    }
    for (auto& before : before_) {
        before = bytes.read_array<std::int64_t>();
    }
}

void PriorityQueue::push(double priority, std::int64_t pair) {
    heap_.push_back({priority, pair});
    std::push_heap(heap_.begin(), heap_.end());
}

std::int64_t PriorityQueue::pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const auto pair = heap_.back().pair;
    heap_.pop_back();
    return pair;
}

}  // namespace lockstep::rl
