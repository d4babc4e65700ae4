#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/model.hpp"

namespace lockstep::rl {

/// What an action led to.
///
/// Terminated: the episode is over and no value of `next` counts. Truncated: it was cut short, and
/// what would have followed `next` counts. Both at once mean terminated.
struct Step {
    std::int32_t next = 0;  ///< the true successor, also where the episode ends
    double reward = 0;
    bool terminated = false;
    bool truncated = false;

    [[nodiscard]] bool ended() const noexcept { return terminated || truncated; }
    friend bool operator==(const Step&, const Step&) = default;
};

/// Bit a set: action a is legal.
using ActionMask = std::uint64_t;

/// The mask of actions 0 to count - 1. count is 1 to 64.
constexpr ActionMask all_actions(int count) noexcept {
    return ~ActionMask{0} >> (64U - static_cast<unsigned>(count));
}

/// The number-th legal action, from 0. There must be as many.
inline int nth_action(ActionMask mask, std::uint32_t number) noexcept {
#ifdef __BMI2__
    return std::countr_zero(__builtin_ia32_pdep_di(ActionMask{1} << number, mask));
#else
    for (; number > 0; --number) {
        mask &= mask - 1;
    }
    return std::countr_zero(mask);
#endif
}

/// Rules by which episodes are played; a value, and constant while it plays.
///
/// What differs between episodes, an observable `state` and whatever is hidden, stands in an
/// Episode of a few bytes. So any number of episodes share the rules on any number of threads, and
/// a checkpoint keeps an episode as its bytes.
///
/// - states(), actions(): states are 0 to states() - 1, actions 0 to actions() - 1 (at most 64).
/// - mask(s): the legal actions in state s; 0 where no episode goes on.
/// - reset(draws): a new episode.
/// - step(episode, a, draws): takes a legal action in an episode that has not ended; `next` is the
///   episode's state afterwards.
/// - describe(): the rules and their parameters in one line.
template <typename E>
concept Environment = std::copyable<E> && std::is_trivially_copyable_v<typename E::Episode> &&
    requires(const E& rules, typename E::Episode episode, int number, StepDraws draws) {
    { episode.state } -> std::same_as<std::int32_t&>;
    { rules.states() } -> std::same_as<int>;
    { rules.actions() } -> std::same_as<int>;
    { rules.mask(number) } -> std::same_as<ActionMask>;
    { rules.reset(draws) } -> std::same_as<typename E::Episode>;
    { rules.step(episode, number, draws) } -> std::same_as<Step>;
    { rules.describe() } -> std::same_as<std::string>;
};

/// An environment of which everything may be known: model() says so, nothing where its state is
/// partly hidden. The model's illegal actions are those that mask() leaves out.
template <typename E>
concept Modelled = Environment<E> && requires(const E& rules) {
    { rules.model() } -> std::same_as<std::optional<Model>>;
};

/// An environment whose outcomes are computed where they are needed, with nothing stored:
/// outcomes(s, a, visit) calls visit(Outcome) for each of a legal action; starts() says where
/// episodes begin.
template <typename E>
concept Generated = Environment<E> && requires(const E& rules, int number) {
    rules.outcomes(number, number, [](const Outcome&) {});
    { rules.starts() } -> std::same_as<std::vector<Start>>;
};

/// An environment that shows its states to people: a few lines of text.
template <typename E>
concept Rendered = Environment<E> && requires(const E& rules, int number) {
    { rules.render_text(number) } -> std::same_as<std::string>;
};

/// Two players move in turn, each with the rewards of a move as the mover sees them: what a state
/// is worth to the one who is to move is lost to the one who moved. Targets subtract the value of
/// the next state, where those of a single player add it. Such an environment has `static constexpr
/// bool alternates = true`.
template <typename E>
inline constexpr bool is_alternating = requires {
    requires E::alternates;
};

/// An episode where only the state differs.
struct PlainEpisode {
    std::int32_t state = 0;
};

/// The legal actions of an episode: an environment that knows them without a look into its tables
/// has mask(episode) as well.
template <Environment E>
ActionMask legal_actions(const E& rules, const typename E::Episode& episode) {
    if constexpr (requires { rules.mask(episode); }) {
        return rules.mask(episode);
    } else {
        return rules.mask(episode.state);
    }
}

}  // namespace lockstep::rl
