#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

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

    /// What a loop writes at every step: a copy that the table cannot alias.
    struct Books {
        Seat<E> seat;
        double errors;
        double step_sizes;

        void note(const Change& change) noexcept {
            errors += std::abs(change.error);
            step_sizes += change.alpha;
        }
    };

    /// Keeps the best of every row where that pays: where the rows are few beside the steps and
    /// stay in the cache. Then no action waits for its row to be searched; that was done when a
    /// value of it changed.
    template <Access A, typename V>
    void prepare(std::int64_t transitions, const CellsOf<V>& cells) {
        constexpr int most_states = 1 << 15;
        const int states = this->rules_.states();
        bests_.clear();
        if (A == Access::shared || states > most_states || transitions / 2 < states) {
            return;
        }
        for (std::int32_t s = 0; s < states; ++s) {
            bests_.push_back(this->template best_in<A>(cells, s, this->rules_.mask(s)));
        }
    }

    template <Access A, typename V>
    void loop(std::int64_t steps, const CellsOf<V>& cells, Tally& tally) {
        switch (algorithm_) {
            case Algorithm::expected_sarsa:
                return loop_to<A, Target::expected>(steps, cells, tally);
            case Algorithm::sarsa:
                return loop_to<A, Target::following>(steps, cells, tally);
            default:
                return this->behaviour_.is_plain()
                           ? loop_to<A, Target::best_plainly>(steps, cells, tally)
                           : loop_to<A, Target::best>(steps, cells, tally);
        }
    }

    template <Access A, Target T, typename V>
    void loop_to(std::int64_t steps, const CellsOf<V>& cells, Tally& tally) {
        Books books{this->seat_, tally.errors, tally.step_sizes};
        const bool keeps_bests = !bests_.empty();  // never where others write
        if constexpr (A != Access::shared) {
            if (keeps_bests) {
                loop_by_bests<A, T>(steps, cells, books, tally);
            }
        }
        if (!keeps_bests) {
            loop_by_rows<A, T>(steps, cells, books, tally);
        }
        this->seat_ = books.seat;
        tally.errors = books.errors;
        tally.step_sizes = books.step_sizes;
    }

    template <Access A, Target T, typename V>
    void loop_by_rows(std::int64_t steps, const CellsOf<V>& table, Books& all_books, Tally& tally) {
        const CellsOf<V> cells = table;
        const Behaviour behaviour = this->behaviour_;
        const double gamma = this->gamma_;
        Books books = all_books;
        Here here = this->template look<A>(cells, books.seat.episode);
        this->for_each_step(steps, [&](auto& draws) {
            const std::int32_t s = books.seat.episode.state;
            const int action = act_for<T>(cells, books.seat, here, behaviour, draws);
            const Step step = play(this->rules_, books.seat, action, draws);
            double target = step.reward;
            if (!step.terminated) {
                here = this->template look<A>(cells, books.seat.episode);
                target += gamma * value_of<A, T>(cells, books.seat, here, draws);
            }
            books.note(this->template learn<A>(cells, this->row_of(s) + action, s, target));
            if (step.ended()) {
                books.seat.pending = -1;
                restart(this->rules_, books.seat, tally, draws);
                here = this->template look<A>(cells, books.seat.episode);
            } else if (step.next == s) {
                here = this->template look<A>(cells, books.seat.episode);
            }
        });
        all_books = books;
    }

    template <Access A, Target T, typename V>
    void loop_by_bests(std::int64_t steps,
                       const CellsOf<V>& table,
                       Books& all_books,
                       Tally& tally) {
        const CellsOf<V> cells = table;
        const Behaviour behaviour = this->behaviour_;
        const double gamma = this->gamma_;
        Books books = all_books;
        Best* const bests = bests_.data();
        const auto look = [&] {
            const Best& best = bests[books.seat.episode.state];
            const ActionMask legal = legal_actions(this->rules_, books.seat.episode);
            if (best.ties == 0) [[unlikely]] {
                refuse_row(books.seat.episode.state, legal);
            }
            return Here{legal, best};
        };
        look();
        this->for_each_step(steps, [&](auto& draws) {
            const std::int32_t s = books.seat.episode.state;
            const Here here{legal_actions(this->rules_, books.seat.episode), bests[s]};
            const int action = act_for<T>(cells, books.seat, here, behaviour, draws);
            const Step step = play(this->rules_, books.seat, action, draws);
            double target = step.reward;
            if (!step.terminated) {
                target += gamma * value_of<A, T>(cells, books.seat, look(), draws);
            }
            books.note(this->template learn<A>(cells, this->row_of(s) + action, s, target));
            bests[s] = this->template best_in<A>(cells, s, here.legal);
            if (step.ended()) {
                books.seat.pending = -1;
                restart(this->rules_, books.seat, tally, draws);
                look();
            }
        });
        all_books = books;
    }

    // What follows is worth; the action that follows is chosen now where it counts.
    template <Access A, Target T, typename V, Draws D>
    double value_of(const CellsOf<V>& cells, Seat<E>& seat, const Here& next, D& draws) const {
        const std::int32_t s = seat.episode.state;
        if constexpr (T == Target::best || T == Target::best_plainly) {
            return next.best.value;
        } else if constexpr (T == Target::expected) {
            return this->behaviour_.expected(this->view(cells, s, next.legal), next.best);
        } else {
            return this->template follow<A>(cells, seat, next, draws);
        }
    }

    template <Target T, typename V, Draws D>
    [[gnu::always_inline]] int act_for(const CellsOf<V>& cells,
                                       Seat<E>& seat,
                                       const Here& here,
                                       const Behaviour& behaviour,
                                       D& draws) const {
        if constexpr (T == Target::best_plainly) {
            return behaviour.choose_plainly(here.legal, here.best, draws.bits());
        } else {
            return this->act(cells, seat, here, draws);
        }
    }

    Algorithm algorithm_;
    std::vector<Best> bests_;  // [states], or none are kept
};

}  // namespace lockstep::rl
