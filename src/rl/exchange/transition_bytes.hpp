#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/rl/learn/actors.hpp"

namespace lockstep::rl {

/// Transitions of environments that play in lock step, four to ten bytes each where states are few:
/// what follows from the one before is left out, and rewards are exact.
/// @param transitions  [steps, environments]
std::vector<std::byte> encode(std::span<const Transition> transitions, std::size_t environments);

/// @param states, actions  what is allowed
/// @throws InputError  the bytes are damaged: cut off, another number of transitions, a state or an
/// action that does not exist
std::vector<Transition> decode(std::span<const std::byte> bytes,
                               std::size_t count,
                               std::size_t environments,
                               int states,
                               int actions);

}  // namespace lockstep::rl
