#pragma once

#include "lockstep/sddp/scaling.hpp"

#include "sddp/hydro/stage/stage_problem.hpp"

namespace lockstep::sddp {

/// What build_stage_problem did to the numbers of a stage.
StageScaling scaling_of(const StageProblem& stage);

}  // namespace lockstep::sddp
