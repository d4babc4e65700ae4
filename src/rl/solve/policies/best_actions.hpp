#pragma once

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"

#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// Marks the actions whose value is not proven to be worse than that of their state by more than
/// the tolerance of ties, and that of the policy.
void mark_best_actions(const RowSource& rows,
                       const RowFacts& facts,
                       const SolveOptions& options,
                       Solution& solution,
                       const Workers& workers);

}  // namespace lockstep::rl
