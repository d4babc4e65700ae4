#pragma once

#include <span>

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/solve/sweeps/progress.hpp"

namespace lockstep::rl {

/// Relative value iteration over the states that episodes reach (all without starts). An episode
/// that ends begins anew. Bounds are those of equation (6), the same in all states.
Solution solve_average(const RowSource& rows,
                       const RowFacts& facts,
                       std::span<const Start> starts,
                       const SolveOptions& options,
                       Progress& progress,
                       runtime::ThreadTeam& team);

}  // namespace lockstep::rl
