#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/behaviour.hpp"
#include "lockstep/rl/learn/learner.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/schedule.hpp"
#include "lockstep/rl/learn/seat.hpp"

namespace lockstep::rl {

/// Q-learning, SARSA and expected SARSA: a value moves to the reward and what is expected next.
/// @par Source  docs/rl-theory.md
template <Environment E>
class OneStepLearner final : public Learner {
public:
    /// @param rules  must outlive this
    /// @param item  number of the environment
    /// @param learners  that share the schedule: one transition of this counts as so many
    OneStepLearner(const E& rules,
                   const LearnOptions& options,
                   std::uint32_t item,
                   std::int64_t learners)
        : rules_(rules),
          streams_(options.seed, play_purpose),
          behaviour_(options.exploration),
          step_sizes_(options.learning_rate),
          algorithm_(options.algorithm),
          gamma_(options.discount_factor),
          item_(item),
          learners_(learners) {}

    void run(std::int64_t transitions, const Cells& cells, Access access, Tally& tally) override {
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

private:
    enum class Target { best, expected, following };

    template <Access A>
    void run_as(std::int64_t transitions, const Cells& cells, Tally& tally) {
        if (seat_.calls == 0) {
            auto draws = streams_.at(item_, 0);
            seat_.episode = rules_.reset(draws);
        }
        while (transitions > 0) {
            const auto level = seat_.played - seat_.played % Behaviour::steps_of_a_level;
            const auto steps =
                std::min(transitions, level + Behaviour::steps_of_a_level - seat_.played);
            behaviour_.set_level(level * learners_);
            run_level<A>(steps, cells, tally);
            transitions -= steps;
        }
    }

    template <Access A>
    void run_level(std::int64_t steps, const Cells& cells, Tally& tally) {
        switch (algorithm_) {
            case Algorithm::expected_sarsa:
                return loop<A, Target::expected>(steps, cells, tally);
            case Algorithm::sarsa:
                return loop<A, Target::following>(steps, cells, tally);
            default:
                return loop<A, Target::best>(steps, cells, tally);
        }
    }

    struct Here {
        ActionMask legal;
        Best best;
    };

    [[nodiscard]] std::ptrdiff_t row_of(std::int32_t s) const noexcept {
        return static_cast<std::ptrdiff_t>(s) * rules_.actions();
    }

    template <Access A>
    Here look(const Cells& cells, const typename E::Episode& episode) const {
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
    int choose(const Cells& cells, const Seat<E>& seat, const Here& here, D& draws) const {
        return behaviour_.choose(
            view(cells, seat.episode.state, here.legal), here.best, draws.bits());
    }

    // What follows is worth; the action that follows is chosen now where it counts.
    template <Target T, Draws D>
    double value_of(const Cells& cells, Seat<E>& seat, const Here& next, D& draws) const {
        if constexpr (T == Target::best) {
            return next.best.value;
        } else if constexpr (T == Target::expected) {
            return behaviour_.expected(view(cells, seat.episode.state, next.legal), next.best);
        } else {
            seat.pending = choose(cells, seat, next, draws);
            return cells.values[row_of(seat.episode.state) + seat.pending];
        }
    }

    template <Access A>
    void learn(const Cells& cells, std::int32_t s, int action, double target, Tally& tally) const {
        const auto cell = row_of(s) + action;
        const double alpha = step_sizes_(visit<A>(cells, cell));
        const double value = load_from<A>(cells.values[cell]);
        const double error = target - value;
        store_to<A>(cells.values[cell], value + alpha * error);
        touch<A>(cells, s);
        tally.errors += error < 0 ? -error : error;
        tally.step_sizes += alpha;
    }

    template <Access A, Target T>
    void loop(std::int64_t steps, const Cells& cells, Tally& tally) {
        Seat<E> seat = seat_;  // in registers: tables may not alias it
        Here here = look<A>(cells, seat.episode);
        for (std::int64_t i = 0; i < steps; ++i) {
            auto draws = streams_.at(item_, ++seat.calls);
            const std::int32_t s = seat.episode.state;
            const int action = seat.pending >= 0 ? seat.pending : choose(cells, seat, here, draws);
            seat.pending = -1;
            const Step step = play(rules_, seat, action, draws);
            double target = step.reward;
            if (!step.terminated) {
                here = look<A>(cells, seat.episode);
                target += gamma_ * value_of<T>(cells, seat, here, draws);
            }
            learn<A>(cells, s, action, target, tally);
            if (step.ended()) {
                seat.pending = -1;
                restart(rules_, seat, tally, draws);
                here = look<A>(cells, seat.episode);
            } else if (step.next == s) {
                here = look<A>(cells, seat.episode);
            }
        }
        tally.transitions += steps;
        seat_ = seat;
    }

    const E& rules_;
    Streams streams_;
    Behaviour behaviour_;
    StepSizes step_sizes_;
    Algorithm algorithm_;
    double gamma_;
    std::uint32_t item_;
    std::int64_t learners_;
    Seat<E> seat_;
};

}  // namespace lockstep::rl
