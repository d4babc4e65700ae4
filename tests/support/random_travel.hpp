#pragma once

#include "lockstep/sddp/problem.hpp"

#include "support/dice.hpp"

namespace lockstep::test {

/// Gives some plants of the random problems without chronological stages a travel time to the next
/// plant, and lets water be on its way at the start.
/// @pre  hydros are written
void add_random_travel(sddp::Problem& problem, Dice& dice);

}  // namespace lockstep::test
