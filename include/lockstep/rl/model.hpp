#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep::rl {

/// What may come of an action: with this probability the process goes to `next` and pays `reward`.
struct Outcome {
    double probability = 0;   ///< in (0, 1]
    std::int32_t next = 0;    ///< state, in [0, states)
    double reward = 0;        ///< finite
    bool terminated = false;  ///< the episode ends there: no value of `next` counts
};

/// With this probability an episode starts in `state`.
struct Start {
    std::int32_t state = 0;
    double probability = 0;
};

/// A finite Markov decision process of which everything is known: the oracle of what learners
/// estimate, and what solve() works on.
///
/// Outcomes of a pair keep the order in which they were added (seeds of Gymnasium depend on it) and
/// may repeat a state. A pair without outcomes is an illegal action; a state without a legal action
/// is one from which no episode goes on.
/// @par Source  [Puterman1994], chapter 2
class Model {
public:
    [[nodiscard]] int states() const noexcept { return states_; }
    [[nodiscard]] int actions() const noexcept { return actions_; }

    /// What may come of action `a` in state `s`; empty: the action is illegal there. The
    /// probabilities add up to 1 within 1e-9.
    [[nodiscard]] std::span<const Outcome> outcomes(int s, int a) const noexcept;
    [[nodiscard]] bool is_legal(int s, int a) const noexcept { return !outcomes(s, a).empty(); }
    /// Where episodes begin, by state; empty for a process that has no episodes.
    [[nodiscard]] std::span<const Start> starts() const noexcept { return starts_; }
    /// Outcomes of all pairs.
    [[nodiscard]] std::size_t size() const noexcept { return outcomes_.size(); }

private:
    friend class ModelBuilder;
    Model() = default;

    int states_ = 0;
    int actions_ = 0;
    std::vector<std::size_t> first_;  // [states * actions + 1]
    std::vector<Outcome> outcomes_;
    std::vector<Start> starts_;
};

/// Takes the outcomes of a model in any order of pairs.
class ModelBuilder {
public:
    /// @throws InputError  fewer than one state or action, or more than 2^31 pairs
    ModelBuilder(int states, int actions);

    /// @throws InputError  names state and action: a state or action that does not exist, a
    /// probability outside (0, 1], a reward that is not finite
    void add(int s, int a, const Outcome& outcome);
    /// @throws InputError  as add
    void add_start(const Start& start);

    /// The model so far; the builder keeps what it has.
    /// @throws InputError  names state, action and sum where probabilities do not add up to 1
    /// within 1e-9, and a state without legal actions that a transition enters without ending
    [[nodiscard]] Model build();

private:
    struct Row {
        std::int64_t pair;
        Outcome outcome;
    };
    int states_;
    int actions_;
    std::vector<Row> rows_;
    std::vector<Start> starts_;
};

}  // namespace lockstep::rl
