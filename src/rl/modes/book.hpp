#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/rl/learn/actors.hpp"
#include "lockstep/rl/learn/learner.hpp"

namespace lockstep::rl {

// A book: all that a learner, or actors, go on from, and what they have done so far. Whoever hosts
// them next has it.

std::vector<std::byte> book_of(const Counts& counts, const Learner& learner);
std::vector<std::byte> book_of(const Counts& counts, const Actors& actors);

/// @throws InputError  damaged
Counts counts_of(std::span<const std::byte> book);

/// Puts a player where its book says.
/// @throws InputError  damaged
void follow(std::span<const std::byte> book, Counts& counts, Learner& learner);
void follow(std::span<const std::byte> book, Counts& counts, Actors& actors);

}  // namespace lockstep::rl
