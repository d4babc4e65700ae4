#pragma once

#include <cstdint>

#include "lockstep/rl/learn/learner_base.hpp"

namespace lockstep::rl {

/// Q-learning, SARSA and expected SARSA: a value moves to the reward and what is expected next.
/// @par Source  docs/rl-theory.md, equations (21) to (23)
template <Environment E>
class OneStepLearner final : public LearnerBase<E, OneStepLearner<E>> {
    using Base = LearnerBase<E, OneStepLearner<E>>;
    using typename Base::Here;

public:
    OneStepLearner(const E& rules,
                   const LearnOptions& options,
                   std::uint32_t item,
                   std::int64_t learners)
        : Base(rules, options, item, learners), algorithm_(options.algorithm) {}

private:
    friend Base;
    enum class Target { best, best_plainly, expected, following };

    template <Access A>
    void loop(std::int64_t steps, const Cells& cells, Tally& tally) {
        switch (algorithm_) {
            case Algorithm::expected_sarsa:
                return loop_to<A, Target::expected>(steps, cells, tally);
            case Algorithm::sarsa:
                return loop_to<A, Target::following>(steps, cells, tally);
            default:
                return loop_to<A, Target::best>(steps, cells, tally);
        }
    }

    // What follows is worth; the action that follows is chosen now where it counts.
    template <Access A, Target T, Draws D>
    double value_of(const Cells& cells, Seat<E>& seat, const Here& next, D& draws) const {
        const std::int32_t s = seat.episode.state;
        if constexpr (T == Target::best || T == Target::best_plainly) {
            return next.best.value;
        } else if constexpr (T == Target::expected) {
            return this->behaviour_.expected(this->view(cells, s, next.legal), next.best);
        } else {
            return this->template follow<A>(cells, seat, next, draws);
        }
    }

    template <Target T, Draws D>
    [[gnu::always_inline]] int act_for(const Cells& cells,
                                       Seat<E>& seat,
                                       const Here& here,
                                       D& draws) const {
        if constexpr (T == Target::best_plainly) {
            return this->behaviour_.choose_plainly(here.legal, here.best, draws.bits());
        } else {
            return this->act(cells, seat, here, draws);
        }
    }

    template <Access A, Target T>
    void loop_to(std::int64_t steps, const Cells& cells, Tally& tally) {
        // Copies that the table cannot alias.
        Seat<E> seat = this->seat_;
        double errors = tally.errors;
        double step_sizes = tally.step_sizes;
        Here here = this->template look<A>(cells, seat.episode);
        for (std::int64_t i = 0; i < steps; ++i) {
            auto draws = this->streams_.at(this->item_, ++seat.calls);
            const std::int32_t s = seat.episode.state;
            const int action = act_for<T>(cells, seat, here, draws);
            const Step step = play(this->rules_, seat, action, draws);
            double target = step.reward;
            if (!step.terminated) {
                here = this->template look<A>(cells, seat.episode);
                target += this->gamma_ * value_of<A, T>(cells, seat, here, draws);
            }
            const auto change = this->template learn<A>(cells, this->row_of(s) + action, s, target);
            errors += change.error < 0 ? -change.error : change.error;
            step_sizes += change.alpha;
            if (step.ended()) {
                seat.pending = -1;
                restart(this->rules_, seat, tally, draws);
                here = this->template look<A>(cells, seat.episode);
            } else if (step.next == s) {
                here = this->template look<A>(cells, seat.episode);
            }
        }
        this->seat_ = seat;
        tally.errors = errors;
        tally.step_sizes = step_sizes;
    }

    Algorithm algorithm_;
};

}  // namespace lockstep::rl
