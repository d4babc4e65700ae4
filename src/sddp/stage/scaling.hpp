#pragma once

#include "lockstep/sddp/scaling.hpp"

#include "sddp/model/stage_lp.hpp"

namespace lockstep::sddp {

/// How the numbers of a stage's LP were scaled.
StageScaling scaling_of(const StageLp& stage);

}  // namespace lockstep::sddp
