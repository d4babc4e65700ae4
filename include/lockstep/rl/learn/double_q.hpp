#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn/actors.hpp"
#include "lockstep/rl/learn/learner_base.hpp"

namespace lockstep::rl {

/// Double Q-learning: a coin picks the table that learns; it chooses the best action that follows,
/// the other one tells what that is worth. Acts on the sum of both.
/// @par Source  [Hasselt2010]; docs/rl-theory.md, equation (24)
template <Environment E>
class DoubleQLearner final : public LearnerBase<E, DoubleQLearner<E>> {
    using Base = LearnerBase<E, DoubleQLearner<E>>;

public:
    using Base::Base;

private:
    friend Base;

    template <typename V>
    int act(const CellsOf<V>& cells, std::uint64_t random) const {
        const std::int32_t s = this->seat_.episode.state;
        const ActionMask legal = legal_actions(this->rules_, this->seat_.episode);
        const auto row = this->row_of(s);
        const int actions = this->rules_.actions();
        std::array<double, 64> sums;
        add_planes(cells, row, std::span(sums).first(at(actions)));
        const Best best = best_or_refuse(sums.data(), legal, actions, s);
        return this->behaviour_.choose(
            RowView<double>{sums.data(), cells.visits + row, legal, actions}, best, random);
    }

    template <typename V>
    double value_of(const CellsOf<V>& cells, std::ptrdiff_t own, std::ptrdiff_t other) const {
        const std::int32_t s = this->seat_.episode.state;
        const auto row = this->row_of(s);
        const ActionMask legal = legal_actions(this->rules_, this->seat_.episode);
        const Best best =
            best_or_refuse(cells.values + own + row, legal, this->rules_.actions(), s);
        return value_at<Access::own>(cells, other + row + std::countr_zero(best.ties));
    }

    template <Access A, typename V, Draws D>
    void one_step(const CellsOf<V>& cells, D& draws, Tally& tally) {
        const std::int32_t s = this->seat_.episode.state;
        const int action = act(cells, draws.bits());
        const Step step = play(this->rules_, this->seat_, action, draws);
        const bool is_first = draws.below(2) == 0;
        const std::ptrdiff_t own = is_first ? 0 : cells.plane;
        const std::ptrdiff_t other = cells.plane - own;
        double target = step.reward;
        if (!step.terminated) {
            target += this->gamma_ * value_of(cells, own, other);
        }
        tally.note(this->template learn<A>(cells, own + this->row_of(s) + action, s, target));
        if (step.ended()) {
            restart(this->rules_, this->seat_, tally, draws);
        }
    }
};

}  // namespace lockstep::rl
