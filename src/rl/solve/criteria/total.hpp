#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"

#include "rl/solve/sweeps/progress.hpp"
#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// Values of a process with bounds and the policy that attains the lower ones, as numbers of pairs.
struct Values {
    Ending ending = Ending::proven;
    std::vector<double> value;
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<std::int32_t> choice;
    double half_width = 0;
};

/// The total by the method of the options. With gamma = 1, `rows` are those of an EndingProcess.
/// @param first  a policy as numbers of pairs; with gamma = 1 one that is certain to end
Values solve_total(const RowSource& rows,
                   const RowFacts& facts,
                   const SolveOptions& options,
                   std::vector<std::int32_t> first,
                   Progress& progress,
                   const Workers& workers);

}  // namespace lockstep::rl
