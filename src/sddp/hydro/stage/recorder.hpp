#pragma once

#include <span>

#include "lockstep/sddp/stage_result.hpp"

#include "sddp/hydro/process/realisation.hpp"
#include "sddp/hydro/stage/stage_problem.hpp"
#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

/// Reads the solution of a stage into the quantities that a planner knows.
/// @param discount  cumulative discount factor of the stage
StageResult record_stage(const Problem& problem,
                         const StageProblem& stage,
                         const StageSolver& solver,
                         std::span<const double> incoming_state,
                         const Realisation& realisation,
                         double discount);

}  // namespace lockstep::sddp
