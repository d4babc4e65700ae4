#pragma once

#include <memory>

#include "lockstep/lp/solver.hpp"

/// One maker a solver; a solver that was left out of the build throws NotBuiltError instead.
namespace lockstep::lp::detail {

std::unique_ptr<Solver> make_highs(const SolverOptions& options);

std::unique_ptr<Solver> make_clp(const SolverOptions& options);
bool clp_is_built();

}  // namespace lockstep::lp::detail
