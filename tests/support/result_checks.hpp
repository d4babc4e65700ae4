#pragma once

#include <string>
#include <vector>

#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"

namespace lockstep::test {

/// What a simulated scenario says that does not follow from the problem and from its own figures:
/// water and load balances, limits, cost parts, totals. Empty when all is well.
/// @param scenarios  how many were simulated, for the sampler
std::vector<std::string> faults_of(const sddp::Problem& problem,
                                   const sddp::ScenarioResult& result,
                                   int scenarios);

}  // namespace lockstep::test
