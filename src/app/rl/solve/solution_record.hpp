#pragma once

#include "lockstep/formats/rl/solution.hpp"
#include "lockstep/rl/solve.hpp"

#include "app/rl/subject.hpp"

namespace lockstep::app {

/// What there is to tell of a solution, but for the time it took.
formats::rl::SolutionRecord record_of(const Subject& subject,
                                      const KnownProcess& process,
                                      const rl::SolveOptions& options,
                                      const rl::Solution& solution);

}  // namespace lockstep::app
