#pragma once

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::rl {

/// How a method uses its sweeps.
struct Plan {
    bool is_in_place = false;    ///< Gauss-Seidel rather than Jacobi
    bool is_by_policy = false;   ///< sweeps over the policy alone follow those over all pairs
    bool is_to_the_end = false;  ///< and go on until rounding
};

Plan plan_of(const SolveOptions& options, bool is_stored, const RowFacts& facts);

}  // namespace lockstep::rl
