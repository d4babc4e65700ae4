#include "lockstep/rl/learn/seat.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {

void refuse_reward(std::int32_t s, int action, double reward) {
    throw ModelError(
        fmt::format("the reward of action {} in state {} is {}: it must be a finite number",
                    action,
                    s,
                    reward));
}

void refuse_row(std::int32_t s, ActionMask legal) {
    throw ModelError(
        legal == 0
            ? fmt::format("an episode goes on in state {}, but no action is legal there: its mask "
                          "must have one, or the step into it must terminate",
                          s)
            : fmt::format("the values of state {} are no finite numbers any more: rewards are too "
                          "large, or the tables of workers are combined by a rule that diverges",
                          s));
}

}  // namespace lockstep::rl
