#pragma once

#include "lockstep/sddp/problem.hpp"

#include "support/dice.hpp"

namespace lockstep::test {

/// Lets some plants of the random problems be built late, filled first or closed early, and others
/// miss their least storage at a price. Every state keeps an answer.
/// @pre  hydros are written
void add_random_phases(sddp::Problem& problem, Dice& dice);

}  // namespace lockstep::test
