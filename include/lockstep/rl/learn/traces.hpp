#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/learn/learner_base.hpp"

namespace lockstep::rl {

/// Watkins's Q(lambda) and SARSA(lambda) with replacing traces. Of Q(lambda) traces end where an
/// action is not a best one.
/// @par Source  [Watkins1989]; [SuttonBarto2018], chapter 12; docs/rl-theory.md, equation (27)
template <Environment E>
class TraceLearner final : public LearnerBase<E, TraceLearner<E>> {
    using Base = LearnerBase<E, TraceLearner<E>>;
    using typename Base::Here;

public:
    TraceLearner(const E& rules,
                 const LearnOptions& options,
                 std::uint32_t item,
                 std::int64_t learners)
        : Base(rules, options, item, learners),
          is_sarsa_(options.algorithm == Algorithm::sarsa_lambda),
          decay_(this->gamma_ * options.lambda) {
        traces_.reserve(1024);
    }

    void save(ByteWriter& bytes) const override {
        Base::save(bytes);
        bytes.add_array(traces_);
    }
    void load(ByteReader& bytes) override {
        Base::load(bytes);
        traces_ = bytes.read_array<Trace>();
    }

private:
    friend Base;
    static constexpr double least = 1e-4;  // fainter ones are dropped

    struct Trace {
        std::int64_t cell = 0;
        double strength = 0;
        std::int64_t state = 0;
    };

    template <Access A, typename V, Draws D>
    void one_step(const CellsOf<V>& cells, D& draws, Tally& tally) {
        Seat<E>& seat = this->seat_;
        const std::int32_t s = seat.episode.state;
        const Here here = this->template look<A>(cells, seat.episode);
        const int action = this->act(cells, seat, here, draws);
        if (!is_sarsa_ && !this->is_best(here, action)) {
            traces_.clear();
        }
        const Step step = play(this->rules_, seat, action, draws);
        double target = step.reward;
        if (!step.terminated) {
            target += this->gamma_ * this->template value_after<A>(cells, is_sarsa_, draws);
        }
        update<A>(cells, this->row_of(s) + action, s, target, tally);
        if (step.ended()) {
            traces_.clear();
            seat.pending = -1;
            restart(this->rules_, seat, tally, draws);
        }
    }

    template <Access A, typename V>
    void update(
        const CellsOf<V>& cells, std::ptrdiff_t cell, std::int32_t s, double target, Tally& tally) {
        const double error = target - value_at<A>(cells, cell);
        tally.note({error, this->step_sizes_(visit<A>(cells, cell))});
        renew(cell, s);
        std::size_t kept = 0;
        for (Trace& trace : traces_) {
            const double alpha = this->step_sizes_(cells.visits[trace.cell]);
            const double value = value_at<A>(cells, trace.cell);
            set_value<A>(cells, trace.cell, value + alpha * error * trace.strength);
            touch<A>(cells, static_cast<std::int32_t>(trace.state));
            trace.strength *= decay_;
            if (trace.strength >= least || trace.strength <= -least) {
                traces_[kept++] = trace;
            }
        }
        traces_.resize(kept);
    }

    void renew(std::ptrdiff_t cell, std::int32_t s) {
        for (Trace& trace : traces_) {
            if (trace.cell == cell) {
                trace.strength = 1;
                return;
            }
        }
        traces_.push_back({cell, 1, s});
    }

    bool is_sarsa_;
    double decay_;
    std::vector<Trace> traces_;
};

}  // namespace lockstep::rl
