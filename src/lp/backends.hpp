#pragma once

#include <memory>

#include "lockstep/lp/solver.hpp"

namespace lockstep::lp::detail {

/// One maker a solver; that of a solver that was left out of the build throws NotBuiltError.
std::unique_ptr<Solver> make_highs(const SolverOptions& options);

std::unique_ptr<Solver> make_clp(const SolverOptions& options);
bool clp_is_built();

std::unique_ptr<Solver> make_backend(SolverKind kind, const SolverOptions& options);

/// @throws AssertionError  the basis is not one of a model with so many columns and rows
void expect_basis_size(const Basis& basis, int columns, int rows);

}  // namespace lockstep::lp::detail
