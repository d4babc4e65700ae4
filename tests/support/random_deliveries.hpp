#pragma once

#include "lockstep/sddp/problem.hpp"

#include "support/dice.hpp"

namespace lockstep::test {

/// Lets some thermal plants of the random problems decide their generation ahead.
/// @pre  thermals are written
void add_random_deliveries(sddp::Problem& problem, Dice& dice);

}  // namespace lockstep::test
