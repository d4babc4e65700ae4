#pragma once

#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// A number of a stage LP before it is scaled.
struct PlacedNumber {
    double size = 0;    ///< absolute value, > 0
    int stage = 0;      ///< id of the first stage that has it
    std::string place;  ///< "turbined CAMARGOS block 0 in water balance CAMARGOS"
};

/// Smallest and largest number of a kind over all stages, those that are 0 or infinite left out.
struct NumberRange {
    /// "costs" [$ per unit and hour of the block], "right-hand sides" (of loads: the mean),
    /// "bounds", or the kind of a constraint ("water balance"), whose coefficients these are.
    std::string kind;
    PlacedNumber least;
    PlacedNumber most;
};

/// Ranges of all stage LPs, without their cuts: constraints in order of appearance, then right-hand
/// sides, bounds, costs.
std::vector<NumberRange> number_ranges(const Problem& problem, const SpeedOptions& options);

/// Warns (model_quality, under subject::numbers) where the numbers of a case leave fewer digits
/// than the solver's tolerances ask for:
///
/// - Costs. A reduced cost is a sum of products of the size of the largest cost C; its ten or so
///   roundings of 1.1e-16·C must stay below the dual tolerance, in units in which the smallest cost
///   is what the scaling makes of it. Costs that lie further apart than about 1e10 do not.
/// - Coefficients. A term that its column's bounds keep below the tolerance of its row (the primal
///   tolerance, or 1e-11 of the right-hand side) has no effect.
void check_numbers(const Problem& problem,
                   const SpeedOptions& options,
                   const lp::SolverOptions& tolerances,
                   Problems& problems);

}  // namespace lockstep::sddp
