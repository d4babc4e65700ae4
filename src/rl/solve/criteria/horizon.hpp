#pragma once

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/solve/sweeps/progress.hpp"

namespace lockstep::rl {

/// Backward induction. Where it must end early, the steps that are missing count as unknown.
/// @par Source  [Puterman1994], section 4.5
Solution solve_horizon(const RowSource& rows,
                       const RowFacts& facts,
                       const SolveOptions& options,
                       Progress& progress,
                       runtime::ThreadTeam& team);

}  // namespace lockstep::rl
