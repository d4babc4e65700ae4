#pragma once

#include <cstdint>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn/learned_model.hpp"
#include "lockstep/rl/learn/learner_base.hpp"

namespace lockstep::rl {

/// Dyna-Q: after each step, updates from outcomes that were seen before, of pairs at random.
/// Prioritised sweeping: of those pairs whose value is to change most, from all their outcomes.
/// @par Source  [SuttonBarto2018], chapter 8; [Moore1993]; docs/rl-theory.md, equation (28)
template <Environment E>
class PlanningLearner final : public LearnerBase<E, PlanningLearner<E>> {
    using Base = LearnerBase<E, PlanningLearner<E>>;
    using typename Base::Here;

public:
    PlanningLearner(const E& rules,
                    const LearnOptions& options,
                    std::uint32_t item,
                    std::int64_t learners)
        : Base(rules, options, item, learners),
          plans_(options.seed, "rl.planning"),
          is_sweeping_(options.algorithm == Algorithm::prioritized_sweeping),
          planning_steps_(options.planning_steps),
          model_(rules.states(), rules.actions()) {}

    void save(ByteWriter& bytes) const override {
        Base::save(bytes);
        model_.save(bytes);
        queue_.save(bytes);
    }
    void load(ByteReader& bytes) override {
        Base::load(bytes);
        model_.load(bytes);
        queue_.load(bytes);
    }

private:
    friend Base;
    static constexpr double least_change = 1e-9;  // smaller ones are not worth a sweep

    template <Access A, typename V, Draws D>
    void one_step(const CellsOf<V>& cells, D& draws, Tally& tally) {
        const std::int32_t s = this->seat_.episode.state;
        const Here here = this->template look<A>(cells, this->seat_.episode);
        const int action = this->choose(cells, s, here, draws);
        const Step step = play(this->rules_, this->seat_, action, draws);
        model_.add(s, action, step.reward, step.next, step.terminated);
        double target = step.reward;
        if (!step.terminated) {
            target += this->gamma_ * this->template look<A>(cells, this->seat_.episode).best.value;
        }
        tally.note(this->template learn<A>(cells, this->row_of(s) + action, s, target));
        plan<A>(cells, this->row_of(s) + action);
        if (step.ended()) {
            restart(this->rules_, this->seat_, tally, draws);
        }
    }

    template <Access A, typename V>
    void plan(const CellsOf<V>& cells, std::int64_t pair) {
        if (is_sweeping_) {
            sweep<A>(cells, pair);
            return;
        }
        auto draws = plans_.at(this->item_, static_cast<std::uint64_t>(this->seat_.played));
        for (int i = 0; i < planning_steps_; ++i) {
            const auto& pairs = model_.pairs();
            const auto picked = pairs[draws.below(static_cast<std::uint32_t>(pairs.size()))];
            imagine<A>(cells, picked, draws);
        }
    }

    template <typename V>
    [[nodiscard]] double best_after(const CellsOf<V>& cells, const LearnedModel::Seen& seen) const {
        if (seen.terminated != 0) {
            return 0;
        }
        const ActionMask legal = this->rules_.mask(seen.next);
        return best_of(cells.values + this->row_of(seen.next), legal, this->rules_.actions()).value;
    }

    // One of the outcomes of a pair, as often as it was seen.
    template <Access A, typename V, Draws D>
    void imagine(const CellsOf<V>& cells, std::int64_t pair, D& draws) {
        const auto outcomes = model_.outcomes(pair);
        auto left = scaled(draws.bits(), model_.times(pair));
        std::size_t i = 0;
        while (left >= outcomes[i].times) {
            left -= outcomes[i++].times;
        }
        const double target =
            outcomes[i].reward / outcomes[i].times + this->gamma_ * best_after(cells, outcomes[i]);
        const double alpha = this->step_sizes_(cells.visits[pair]);
        const double value = value_at<A>(cells, pair);
        set_value<A>(cells, pair, value + alpha * (target - value));
        touch<A>(cells, static_cast<std::int32_t>(pair / this->rules_.actions()));
    }

    template <typename V>
    [[nodiscard]] double expected(const CellsOf<V>& cells, std::int64_t pair) const {
        double sum = 0;
        for (const auto& seen : model_.outcomes(pair)) {
            sum += seen.reward + this->gamma_ * seen.times * best_after(cells, seen);
        }
        return sum / static_cast<double>(model_.times(pair));
    }

    template <typename V>
    void ask(const CellsOf<V>& cells, std::int64_t pair) {
        const double change = expected(cells, pair) - value_at<Access::own>(cells, pair);
        if (change > least_change || change < -least_change) {
            queue_.push(change < 0 ? -change : change, pair);
        }
    }

    template <Access A, typename V>
    void sweep(const CellsOf<V>& cells, std::int64_t pair) {
        ask(cells, pair);
        for (int i = 0; i < planning_steps_ && !queue_.empty(); ++i) {
            const std::int64_t first = queue_.pop();
            const auto s = static_cast<std::int32_t>(first / this->rules_.actions());
            set_value<A>(cells, first, expected(cells, first));
            touch<A>(cells, s);
            for (const std::int64_t before : model_.before(s)) {
                ask(cells, before);
            }
        }
    }

    Streams plans_;
    bool is_sweeping_;
    int planning_steps_;
    LearnedModel model_;
    PriorityQueue queue_;
};

}  // namespace lockstep::rl
