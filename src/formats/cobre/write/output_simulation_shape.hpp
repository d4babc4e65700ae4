#pragma once

#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"

namespace lockstep::formats::cobre::out {

/// @throws AssertionError  an array of `result` has another length than its comment says
void check_shape(const sddp::Problem& problem, const sddp::StageResult& result);

}  // namespace lockstep::formats::cobre::out
