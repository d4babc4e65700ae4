#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// What was learned: a value and a number of visits a pair of state and action.
struct QTable {
    int states = 0;
    int actions = 0;
    std::vector<double> values;         ///< [states, actions]; 0 where illegal
    std::vector<std::uint32_t> visits;  ///< [states, actions]; stays at its maximum
};

/// Of shape, values and visits.
Digest digest_of(const QTable& table);

}  // namespace lockstep::rl
