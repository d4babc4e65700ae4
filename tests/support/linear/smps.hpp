#pragma once

#include <filesystem>

#include "support/linear/linear_problem.hpp"

namespace lockstep::test {

/// Reads a stochastic programme in SMPS, integers relaxed: BASE.cor, and BASE.tim and BASE.sto or
/// BASE.time and BASE.stoch. Free form; INDEP and SCENARIOS with random right-hand sides, which
/// is what the sets in tests/data/sddp/smps have. A scenario has the core's values where it lists
/// none, and probabilities are divided by their sum where `normalise` says so.
///
/// Rows after the first period may be violated at `penalty` a unit where it is not 0: a problem
/// without complete recourse keeps its optimum, if the penalty is above every price.
///
/// The state is every column that stands in a row of a later period.
/// @param base  path without extension
/// @throws std::runtime_error  anything else is found
/// @par Source  [Birge1987]
LinearProblem read_smps(const std::filesystem::path& base,
                        bool normalise,
                        double floor,
                        double penalty = 0);

}  // namespace lockstep::test
