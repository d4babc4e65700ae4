#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/behaviour.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/schedule.hpp"
#include "lockstep/rl/learn/seat.hpp"

namespace lockstep::rl {

/// What learners of all algorithms have: a seat in an environment, the choice of actions, step
/// sizes. `L`, the learner itself, has one_step<Access>(cells, draws, tally), or
/// loop<Access>(steps, cells, tally) for all of them.
template <Environment E, typename L>
class LearnerBase : public Learner {
public:
    /// @param rules  must outlive this
    /// @param item  number of the environment
    /// @param learners  that share the schedule: one transition of this counts as so many
    LearnerBase(const E& rules,
                const LearnOptions& options,
                std::uint32_t item,
                std::int64_t learners)
        : rules_(rules),
          streams_(options.seed, play_purpose),
          behaviour_(options.exploration),
          step_sizes_(options.learning_rate),
          gamma_(is_alternating<E> ? -options.discount_factor : options.discount_factor),
          item_(item),
          learners_(learners) {}

    void run(std::int64_t transitions, const Cells& cells, Access access, Tally& tally) final {
        std::visit([&](const auto& table) { run_on(transitions, table, access, tally); }, cells);
    }

    void save(ByteWriter& bytes) const override { seat_.save(bytes); }
    void load(ByteReader& bytes) override { seat_.load(bytes); }

protected:
    /// A state, as far as choosing goes.
    struct Here {
        ActionMask legal;
        Best best;
    };

    [[nodiscard]] std::ptrdiff_t row_of(std::int32_t s) const noexcept {
        return static_cast<std::ptrdiff_t>(s) * rules_.actions();
    }

    template <Access A, typename V>
    [[gnu::always_inline]] Here look(const CellsOf<V>& cells,
                                     const typename E::Episode& episode) const {
        const ActionMask legal = legal_actions(rules_, episode);
        return {legal,
                best_or_refuse<A>(
                    cells.values + row_of(episode.state), legal, rules_.actions(), episode.state)};
    }

    template <Access A, typename V>
    [[gnu::always_inline]] Best best_in(const CellsOf<V>& cells,
                                        std::int32_t s,
                                        ActionMask legal) const noexcept {
        return best_of<A>(cells.values + row_of(s), legal, rules_.actions());
    }

    template <typename V>
    [[nodiscard]] RowView<V> view(const CellsOf<V>& cells, std::int32_t s, ActionMask legal) const {
        return {cells.values + row_of(s), cells.visits + row_of(s), legal, rules_.actions()};
    }

    template <typename V, Draws D>
    [[gnu::always_inline]] int choose(const CellsOf<V>& cells,
                                      std::int32_t s,
                                      const Here& here,
                                      D& draws) const {
        return behaviour_.choose(view(cells, s, here.legal), here.best, draws.bits());
    }

    /// The action that was chosen before, if one was; else one that is chosen now.
    template <typename V, Draws D>
    [[gnu::always_inline]] int act(const CellsOf<V>& cells,
                                   Seat<E>& seat,
                                   const Here& here,
                                   D& draws) const {
        const auto pending = std::exchange(seat.pending, -1);
        return pending >= 0 ? pending : choose(cells, seat.episode.state, here, draws);
    }
    /// Chooses the action that follows.
    /// @return its value
    template <Access A, typename V, Draws D>
    double follow(const CellsOf<V>& cells, Seat<E>& seat, const Here& next, D& draws) const {
        const std::int32_t s = seat.episode.state;
        seat.pending = choose(cells, s, next, draws);
        return value_at<A>(cells, row_of(s) + seat.pending);
    }
    /// What follows is worth to SARSA, or else to Q-learning.
    template <Access A, typename V, Draws D>
    double value_after(const CellsOf<V>& cells, bool is_sarsa, D& draws) {
        const Here next = look<A>(cells, seat_.episode);
        return is_sarsa ? follow<A>(cells, seat_, next, draws) : next.best.value;
    }
    [[nodiscard]] static bool is_best(const Here& here, int action) noexcept {
        return (here.best.ties >> static_cast<unsigned>(action) & 1U) != 0;
    }

    template <Access A, typename V>
    [[gnu::always_inline]] Change learn(const CellsOf<V>& cells,
                                        std::ptrdiff_t cell,
                                        std::int32_t s,
                                        double target) const {
        return move_to<A>(cells, cell, s, target, step_sizes_);
    }

    /// Calls `take_step(draws)` for so many steps, of which the seat has played none yet.
    template <typename TakeStep>
    [[gnu::always_inline]] void for_each_step(std::int64_t steps, const TakeStep& take_step) const {
        std::array<DrawBlock, 64> blocks;
        auto step = static_cast<std::uint64_t>(seat_.played) + 1;
        for (const auto end = step + static_cast<std::uint64_t>(steps); step < end;) {
            const auto batch =
                std::span(blocks).first(std::min<std::size_t>(end - step, blocks.size()));
            streams_.fill(item_, step, batch);
            for (const DrawBlock& block : batch) {
                auto draws = streams_.at(item_, step++, block);
                take_step(draws);
            }
        }
    }

    /// Called where a run begins: nobody else writes to the table before it ends.
    template <Access A, typename V>
    void prepare(std::int64_t /*transitions*/, const CellsOf<V>& /*cells*/) {}

    /// One step after the other, where the learner has no loop of its own.
    template <Access A, typename V>
    void loop(std::int64_t steps, const CellsOf<V>& cells, Tally& tally) {
        for_each_step(steps, [&](auto& draws) {
            static_cast<L&>(*this).template one_step<A>(cells, draws, tally);
        });
    }

    const E& rules_;
    Streams streams_;
    Behaviour behaviour_;
    StepSizes step_sizes_;
    double gamma_;  // of what follows: negative where it is the other player's
    std::uint32_t item_;
    std::int64_t learners_;
    Seat<E> seat_;

private:
    template <typename V>
    void run_on(std::int64_t transitions, const CellsOf<V>& cells, Access access, Tally& tally) {
        switch (access) {
            case Access::own:
                return run_as<Access::own>(transitions, cells, tally);
            case Access::tracked:
                return run_as<Access::tracked>(transitions, cells, tally);
            case Access::shared:
                return run_as<Access::shared>(transitions, cells, tally);
        }
    }
    template <Access A, typename V>
    void run_as(std::int64_t transitions, const CellsOf<V>& cells, Tally& tally) {
        if (seat_.played == 0) {
            auto draws = streams_.at(item_, 0);
            seat_.episode = rules_.reset(draws);
        }
        tally.transitions += transitions;
        static_cast<L&>(*this).template prepare<A>(transitions, cells);
        while (transitions > 0) {
            const auto steps = behaviour_.steps_at_a_level(seat_.played, transitions);
            const auto level = seat_.played - seat_.played % Behaviour::steps_of_a_level;
            behaviour_.set_level(level * learners_);
            static_cast<L&>(*this).template loop<A>(steps, cells, tally);
            transitions -= steps;
        }
    }
};

}  // namespace lockstep::rl
