#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "lockstep/rl/learn/learner_base.hpp"

namespace lockstep::rl {

/// Speedy Q-learning: the step towards what the table has learned since the step before is not
/// shortened. Tables of two neighbouring steps differ in one cell, which is kept.
/// @par Source  [Azar2011], step by step; docs/rl-theory.md, equation (25)
template <Environment E>
class SpeedyQLearner final : public LearnerBase<E, SpeedyQLearner<E>> {
    using Base = LearnerBase<E, SpeedyQLearner<E>>;
    using typename Base::Here;

public:
    using Base::Base;

    void save(ByteWriter& bytes) const override {
        Base::save(bytes);
        bytes.add(last_cell_);
        bytes.add(last_value_);
    }
    void load(ByteReader& bytes) override {
        Base::load(bytes);
        last_cell_ = bytes.read<std::int64_t>();
        last_value_ = bytes.read<double>();
    }

private:
    friend Base;

    // Of a row as it was before the last step.
    template <typename V>
    [[nodiscard]] double best_before(const CellsOf<V>& cells,
                                     std::int32_t s,
                                     const Here& here) const {
        const std::int64_t row = this->row_of(s);
        if (last_cell_ < row || last_cell_ >= row + this->rules_.actions()) {
            return here.best.value;
        }
        double best = -std::numeric_limits<double>::infinity();
        for (int a = 0; a < this->rules_.actions(); ++a) {
            if ((here.legal >> static_cast<unsigned>(a) & 1U) != 0) {
                best = std::max(
                    best,
                    row + a == last_cell_ ? last_value_ : value_at<Access::own>(cells, row + a));
            }
        }
        return best;
    }

    template <Access A, typename V, Draws D>
    void one_step(const CellsOf<V>& cells, D& draws, Tally& tally) {
        const std::int32_t s = this->seat_.episode.state;
        const Here here = this->template look<A>(cells, this->seat_.episode);
        const int action = this->choose(cells, s, here, draws);
        const Step step = play(this->rules_, this->seat_, action, draws);
        double older = 0;
        double news = 0;
        if (!step.terminated) {
            const Here next = this->template look<A>(cells, this->seat_.episode);
            older = best_before(cells, step.next, next);
            news = this->gamma_ * (next.best.value - older);
        }
        const double target = step.reward + this->gamma_ * older;
        update<A>(cells, this->row_of(s) + action, s, target, news, tally);
        if (step.ended()) {
            restart(this->rules_, this->seat_, tally, draws);
        }
    }

    template <Access A, typename V>
    void update(const CellsOf<V>& cells,
                std::ptrdiff_t cell,
                std::int32_t s,
                double target,
                double news,
                Tally& tally) {
        const double alpha = this->step_sizes_(visit<A>(cells, cell));
        last_cell_ = cell;
        last_value_ = value_at<A>(cells, cell);
        const double error = target - last_value_;
        set_value<A>(cells, cell, last_value_ + alpha * error + (1 - alpha) * news);
        touch<A>(cells, s);
        tally.note({error, alpha});
    }

    std::int64_t last_cell_ = -1;
    double last_value_ = 0;
};

}  // namespace lockstep::rl
