#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/learn/action_choice.hpp"
#include "lockstep/rl/learn/learner.hpp"

namespace lockstep::rl {

/// @throws ModelError  a reward of this state and action is no finite number
[[noreturn]] void refuse_reward(std::int32_t s, int action, double reward);
/// @throws ModelError  no action of this state can be chosen: none is legal, or values are no
/// numbers
[[noreturn]] void refuse_row(std::int32_t s, ActionMask legal);

/// As best_of(), of a state in which an action has to be taken.
/// @throws ModelError  as refuse_row
template <Access A = Access::own, typename V>
[[gnu::always_inline]] inline Best best_or_refuse(const V* row,
                                                  ActionMask legal,
                                                  int actions,
                                                  std::int32_t s) {
    const Best best = best_of<A>(row, legal, actions);
    if (best.ties == 0) [[unlikely]] {
        refuse_row(s, legal);
    }
    return best;
}

/// Where an environment stands: what a learner needs to go on with it.
template <Environment E>
struct Seat {
    typename E::Episode episode{};
    std::int64_t played = 0;    ///< transitions so far; the next one draws by this number plus 1
    std::int64_t begun = 0;     ///< those before this episode
    double paid = 0;            ///< in this episode
    std::int32_t pending = -1;  ///< action that was chosen already

    void save(ByteWriter& bytes) const {
        bytes.add(episode);
        bytes.add(played);
        bytes.add(begun);
        bytes.add(paid);
        bytes.add(pending);
    }
    void load(ByteReader& bytes) {
        episode = bytes.read<typename E::Episode>();
        played = bytes.read<std::int64_t>();
        begun = bytes.read<std::int64_t>();
        paid = bytes.read<double>();
        pending = bytes.read<std::int32_t>();
    }
};

/// Takes an action and keeps the books.
template <Environment E, Draws D>
[[gnu::always_inline]] inline Step play(const E& rules, Seat<E>& seat, int action, D& draws) {
    const std::int32_t s = seat.episode.state;
    const Step step = rules.step(seat.episode, action, draws);
    if (!std::isfinite(step.reward)) [[unlikely]] {
        refuse_reward(s, action, step.reward);
    }
    ++seat.played;
    seat.paid += step.reward;
    return step;
}

/// Begins the episode after the one that has ended.
template <Environment E, Draws D>
void restart(const E& rules, Seat<E>& seat, Tally& tally, D& draws) {
    tally.end_episode(seat.paid, seat.played - seat.begun);
    seat.paid = 0;
    seat.begun = seat.played;
    seat.episode = rules.reset(draws);
}

/// What the environments of learn() draw.
inline constexpr std::string_view play_purpose = "rl.play";

}  // namespace lockstep::rl
