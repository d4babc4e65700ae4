#pragma once

#include <vector>

#include "lockstep/rl/rows.hpp"

#include "rl/solve/sweeps/progress.hpp"
#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// Where to start from where episodes end: values of a process whose outcomes one may choose, or
/// what some sweeps make of them from below, times what makes up for the hope: equation (13). They
/// lead towards the ends from anywhere, and few sweeps find them.
/// With gamma = 1 for a process where no pair earns.
std::vector<double> hopeful_values(const RowSource& source,
                                   const RowFacts& facts,
                                   double gamma,
                                   Progress& progress,
                                   const Workers& workers);

}  // namespace lockstep::rl
