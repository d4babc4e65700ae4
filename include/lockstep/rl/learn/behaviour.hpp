#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/options.hpp"

namespace lockstep::rl {

/// A row of a table, stored as `V`, with what a choice may depend on.
template <typename V>
struct RowView {
    const V* values = nullptr;              ///< [actions]
    const std::uint32_t* visits = nullptr;  ///< [actions]
    ActionMask legal = 0;                   ///< not empty
    int actions = 0;
};
template <typename V>
RowView(const V*, const std::uint32_t*, ActionMask, int) -> RowView<V>;

/// Which action is taken while learning, and with which probabilities.
class Behaviour {
public:
    /// The level of exploration is found anew every so many steps of a learner.
    static constexpr std::int64_t steps_of_a_level = 64;

    explicit Behaviour(const Exploration& exploration);

    /// The level for so many transitions of all learners together.
    void set_level(std::int64_t transitions) noexcept;
    /// Of so many steps of a learner that has made `played`, those that have the level of the next.
    [[nodiscard]] std::int64_t steps_at_a_level(std::int64_t played,
                                                std::int64_t steps) const noexcept {
        const bool stays = exploration_.level.rule == Schedule::Rule::constant;
        return stays ? steps : std::min(steps, steps_of_a_level - played % steps_of_a_level);
    }

    /// @param random  the upper half decides whether to explore, the lower half picks
    template <typename V>
    [[nodiscard, gnu::always_inline]] int choose(const RowView<V>& row,
                                                 const Best& best,
                                                 std::uint64_t random) const {
        return is_plain_ ? choose_plainly(row.legal, best, random)
                         : choose_other(row, best, random);
    }

    /// Whether a choice is epsilon-greedy by a level that is the same in all states.
    [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }
    /// As choose() where is_plain(): no call stands in the way of the loop.
    [[nodiscard, gnu::always_inline]] int choose_plainly(ActionMask legal,
                                                         const Best& best,
                                                         std::uint64_t random) const noexcept {
        const auto pick = static_cast<std::uint32_t>(random);
        return random >> 32U < threshold_ ? any_of(legal, pick) : greedy(best, pick, random_ties_);
    }

    /// As choose_plainly(), without a branch: for loops in which no choice waits for another.
    [[nodiscard, gnu::always_inline]] int choose_of_many(ActionMask legal,
                                                         const Best& best,
                                                         std::uint64_t random) const noexcept {
        const ActionMask ties = random_ties_ ? best.ties : best.ties & -best.ties;
        return any_of(random >> 32U < threshold_ ? legal : ties,
                      static_cast<std::uint32_t>(random));
    }

    /// Mean of the values over what would be chosen.
    template <typename V>
    [[nodiscard]] double expected(const RowView<V>& row, const Best& best) const;

    /// Of each action; 0 for illegal ones. Among equals, one stands for all where ties are not
    /// random.
    /// @param probabilities  [actions], written
    template <typename V>
    void probabilities(const RowView<V>& row,
                       const Best& best,
                       std::span<double> probabilities) const;

private:
    template <typename V>
    [[nodiscard]] int choose_other(const RowView<V>& row,
                                   const Best& best,
                                   std::uint64_t random) const;
    template <typename V>
    [[nodiscard]] double rate(const RowView<V>& row) const noexcept;
    template <typename V>
    void softmax(const RowView<V>& row, const Best& best, std::span<double> probabilities) const;
    template <typename V>
    [[nodiscard]] Best bonus_best(const RowView<V>& row) const;

    Exploration exploration_;
    bool is_plain_;
    bool random_ties_;
    double level_ = 0;
    std::uint64_t threshold_ = 0;  // level_ · 2^32
};

}  // namespace lockstep::rl
