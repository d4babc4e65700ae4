#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/behaviour.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/seat.hpp"

namespace lockstep::rl {

/// What there is to learn from.
struct Transition {
    double reward = 0;
    std::int32_t state = 0;
    std::int32_t next = 0;
    std::int32_t action = 0;
    std::int32_t terminated = 0;  ///< 1: no value of `next` counts
};

/// Environments that are played together and learned from elsewhere.
class Actors {
public:
    virtual ~Actors() = default;
    Actors() = default;
    Actors(const Actors&) = delete;
    Actors& operator=(const Actors&) = delete;

    /// Takes steps in all environments, by values that stay as they are meanwhile.
    /// @param transitions  [steps, environments], written
    /// @throws ModelError  as Learner::run
    virtual void play(std::int64_t steps,
                      const Cells& cells,
                      std::span<Transition> transitions,
                      Tally& tally) = 0;

    virtual void save(ByteWriter& bytes) const = 0;
    /// @throws InputError  the bytes are damaged
    virtual void load(ByteReader& bytes) = 0;
};

/// A row that is acted on: of two tables, their sum.
template <typename V>
void add_planes(const CellsOf<V>& cells, std::ptrdiff_t row, std::span<double> sums) noexcept {
    for (std::size_t a = 0; a < sums.size(); ++a) {
        const auto cell = row + static_cast<std::ptrdiff_t>(a);
        sums[a] =
            value_at<Access::own>(cells, cell) + value_at<Access::own>(cells, cells.plane + cell);
    }
}

template <Environment E>
class ActorsOf final : public Actors {
public:
    /// @param rules  must outlive this
    /// @param first  number of the first environment; what each draws depends on its number
    /// @param learners  environments that share the schedule of exploration
    ActorsOf(const E& rules,
             const LearnOptions& options,
             std::uint32_t first,
             std::size_t count,
             std::int64_t learners)
        : rules_(rules),
          streams_(options.seed, play_purpose),
          behaviour_(options.exploration),
          is_double_(options.algorithm == Algorithm::double_q),
          first_(first),
          learners_(learners),
          seats_(count),
          blocks_(count) {}

    void play(std::int64_t steps,
              const Cells& cells,
              std::span<Transition> transitions,
              Tally& tally) override {
        std::visit([&](const auto& table) { play_on(steps, table, transitions, tally); }, cells);
    }

    void save(ByteWriter& bytes) const override {
        for (const auto& seat : seats_) {
            seat.save(bytes);
        }
    }
    void load(ByteReader& bytes) override {
        for (auto& seat : seats_) {
            seat.load(bytes);
        }
    }

private:
    template <typename V>
    void play_on(std::int64_t steps,
                 const CellsOf<V>& cells,
                 std::span<Transition> transitions,
                 Tally& tally) {
        for (std::int64_t step = 0; step < steps; ++step) {
            const auto played = seats_.front().played;  // as every other has
            behaviour_.set_level((played - played % Behaviour::steps_of_a_level) * learners_);
            streams_.fill_items(first_, static_cast<std::uint64_t>(played) + 1, blocks_);
            for (std::size_t i = 0; i < seats_.size(); ++i) {
                transitions[at(step) * seats_.size() + i] = act(i, cells, tally);
            }
        }
    }

    template <typename V>
    Transition act(std::size_t i, const CellsOf<V>& cells, Tally& tally) {
        Seat<E>& seat = seats_[i];
        const auto item = first_ + static_cast<std::uint32_t>(i);
        if (seat.played == 0) {
            auto first_draws = streams_.at(item, 0);
            seat.episode = rules_.reset(first_draws);
        }
        auto draws = streams_.at(item, static_cast<std::uint64_t>(seat.played) + 1, blocks_[i]);
        const std::int32_t s = seat.episode.state;
        const int action = choose(seat.episode, cells, draws.bits());
        const Step step = rl::play(rules_, seat, action, draws);
        if (step.ended()) {
            restart(rules_, seat, tally, draws);
        }
        ++tally.transitions;
        return {step.reward, s, step.next, action, static_cast<std::int32_t>(step.terminated)};
    }

    template <typename V>
    int choose(const typename E::Episode& episode,
               const CellsOf<V>& cells,
               std::uint64_t random) const {
        const ActionMask legal = legal_actions(rules_, episode);
        const int actions = rules_.actions();
        const auto row = static_cast<std::ptrdiff_t>(episode.state) * actions;
        const auto choose_from = [&](const auto* values) {
            const Best best = best_or_refuse(values, legal, actions, episode.state);
            return behaviour_.choose(
                RowView{values, cells.visits + row, legal, actions}, best, random);
        };
        if (is_double_) {
            std::array<double, 64> sums;
            add_planes(cells, row, std::span(sums).first(at(actions)));
            return choose_from(sums.data());
        }
        return choose_from(cells.values + row);
    }

    const E& rules_;
    Streams streams_;
    Behaviour behaviour_;
    bool is_double_;
    std::uint32_t first_;
    std::int64_t learners_;
    std::vector<Seat<E>> seats_;
    std::vector<DrawBlock> blocks_;  // of the step under way
};

}  // namespace lockstep::rl
