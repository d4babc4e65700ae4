#pragma once

#include "lockstep/sddp/problem.hpp"

#include "support/dice.hpp"

namespace lockstep::test {

/// Adds generic constraints to a system that is otherwise complete: soft ones over any quantity,
/// hard ones that can always be met.
void add_random_constraints(sddp::Problem& problem, Dice& dice);

}  // namespace lockstep::test
