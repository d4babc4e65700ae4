#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/behaviour.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/schedule.hpp"
#include "lockstep/rl/learn/seat.hpp"

namespace lockstep::rl {

/// What learners of all algorithms have: a seat in an environment, the choice of actions, step
/// sizes. `L`, the learner itself, has loop<Access>(steps, cells, tally).
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
        switch (access) {
            case Access::own:
                return run_as<Access::own>(transitions, cells, tally);
            case Access::tracked:
                return run_as<Access::tracked>(transitions, cells, tally);
            case Access::shared:
                return run_as<Access::shared>(transitions, cells, tally);
        }
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

    template <Access A>
    [[gnu::always_inline]] Here look(const Cells& cells, const typename E::Episode& episode) const {
        const ActionMask legal = legal_actions(rules_, episode);
        const Here here{legal,
                        best_of<A>(cells.values + row_of(episode.state), legal, rules_.actions())};
        if (here.best.ties == 0) [[unlikely]] {
            refuse_row(episode.state, legal);
        }
        return here;
    }

    [[nodiscard]] RowView view(const Cells& cells, std::int32_t s, ActionMask legal) const {
        return {cells.values + row_of(s), cells.visits + row_of(s), legal, rules_.actions()};
    }

    template <Draws D>
    [[gnu::always_inline]] int choose(const Cells& cells,
                                      std::int32_t s,
                                      const Here& here,
                                      D& draws) const {
        return behaviour_.choose(view(cells, s, here.legal), here.best, draws.bits());
    }

    /// Moves a cell of state `s` to a target.
    template <Access A>
    [[gnu::always_inline]] Change learn(const Cells& cells,
                                        std::ptrdiff_t cell,
                                        std::int32_t s,
                                        double target) const {
        const double alpha = step_sizes_(visit<A>(cells, cell));
        const double value = load_from<A>(cells.values[cell]);
        const double error = target - value;
        store_to<A>(cells.values[cell], value + alpha * error);
        touch<A>(cells, s);
        return {error, alpha};
    }

    [[nodiscard]] StepDraws next_draws() { return streams_.at(item_, ++seat_.calls); }

    const E& rules_;
    Streams streams_;
    Behaviour behaviour_;
    StepSizes step_sizes_;
    double gamma_;  // of what follows: negative where it is the other player's
    std::uint32_t item_;
    std::int64_t learners_;
    Seat<E> seat_;

private:
    template <Access A>
    void run_as(std::int64_t transitions, const Cells& cells, Tally& tally) {
        if (seat_.calls == 0) {
            auto draws = streams_.at(item_, 0);
            seat_.episode = rules_.reset(draws);
        }
        tally.transitions += transitions;
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
