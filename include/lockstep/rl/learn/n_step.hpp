#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn/learner_base.hpp"

namespace lockstep::rl {

/// n-step Q-learning and SARSA: the target has the rewards of n steps. Of Q-learning it ends where
/// an action is not a best one: what follows says nothing about the greedy policy.
/// @par Source  [SuttonBarto2018], chapter 7; docs/rl-theory.md, equation (26)
template <Environment E>
class NStepLearner final : public LearnerBase<E, NStepLearner<E>> {
    using Base = LearnerBase<E, NStepLearner<E>>;
    using typename Base::Here;

public:
    NStepLearner(const E& rules,
                 const LearnOptions& options,
                 std::uint32_t item,
                 std::int64_t learners)
        : Base(rules, options, item, learners),
          is_sarsa_(options.algorithm == Algorithm::n_step_sarsa),
          n_(at(options.n_steps)) {}

    void save(ByteWriter& bytes) const override {
        Base::save(bytes);
        bytes.add(static_cast<std::uint64_t>(size_));
        for (std::size_t i = 0; i < size_; ++i) {
            bytes.add(entry(i));
        }
    }
    void load(ByteReader& bytes) override {
        Base::load(bytes);
        size_ = static_cast<std::size_t>(bytes.read<std::uint64_t>());
        if (size_ > n_) {
            throw InputError("the checkpoint is of another number of steps");
        }
        first_ = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            entry(i) = bytes.read<Entry>();
        }
    }

private:
    friend Base;

    struct Entry {
        double reward = 0;
        std::int32_t state = 0;
        std::int32_t action = 0;
    };
    static constexpr std::size_t most = 64;

    [[nodiscard]] Entry& entry(std::size_t i) noexcept { return entries_[(first_ + i) % most]; }
    [[nodiscard]] const Entry& entry(std::size_t i) const noexcept {
        return entries_[(first_ + i) % most];
    }

    // What the rewards from entry `begin` on, then `value`, add up to.
    [[nodiscard]] double total_from(std::size_t begin, double value) const noexcept {
        for (std::size_t i = size_; i > begin; --i) {
            value = entry(i - 1).reward + this->gamma_ * value;
        }
        return value;
    }

    template <Access A, typename V>
    void learn_first(const CellsOf<V>& cells, double value, Tally& tally) {
        const Entry& oldest = entry(0);
        tally.note(this->template learn<A>(
            cells, this->row_of(oldest.state) + oldest.action, oldest.state, total_from(0, value)));
        first_ = (first_ + 1) % most;
        --size_;
    }

    template <Access A, typename V>
    void learn_all(const CellsOf<V>& cells, double value, Tally& tally) {
        while (size_ > 0) {
            learn_first<A>(cells, value, tally);
        }
    }

    template <Access A, typename V, Draws D>
    void one_step(const CellsOf<V>& cells, D& draws, Tally& tally) {
        Seat<E>& seat = this->seat_;
        const std::int32_t s = seat.episode.state;
        const Here here = this->template look<A>(cells, seat.episode);
        const int action = this->act(cells, seat, here, draws);
        if (!is_sarsa_ && !this->is_best(here, action)) {
            learn_all<A>(cells, here.best.value, tally);
        }
        const Step step = play(this->rules_, seat, action, draws);
        entry(size_++) = {step.reward, s, action};
        const double value =
            step.terminated ? 0 : this->template value_after<A>(cells, is_sarsa_, draws);
        if (step.ended()) {
            learn_all<A>(cells, value, tally);
            seat.pending = -1;
            restart(this->rules_, seat, tally, draws);
        } else if (size_ == n_) {
            learn_first<A>(cells, value, tally);
        }
    }

    bool is_sarsa_;
    std::size_t n_;
    std::array<Entry, most> entries_{};  // a ring
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace lockstep::rl
