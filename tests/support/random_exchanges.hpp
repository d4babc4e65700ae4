#pragma once

#include "lockstep/sddp/problem.hpp"

#include "support/dice.hpp"

namespace lockstep::test {

/// Adds contracts, pumping stations and batteries to some of the random problems, which keep an
/// answer from every state.
/// @pre  buses and hydros are written
void add_random_exchanges(sddp::Problem& problem, Dice& dice);

}  // namespace lockstep::test
