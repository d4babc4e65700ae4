#pragma once

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"

#include "rl/solve/sweeps/progress.hpp"
#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// Backward induction. Where it must end early, the steps that are missing count as unknown.
/// @par Source  [Puterman1994], section 4.5
Solution solve_horizon(const RowSource& rows,
                       const RowFacts& facts,
                       const SolveOptions& options,
                       Progress& progress,
                       const Workers& workers);

}  // namespace lockstep::rl
