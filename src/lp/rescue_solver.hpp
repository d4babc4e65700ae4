#pragma once

#include <memory>

#include "lockstep/lp/solver.hpp"

namespace lockstep::lp::detail {

/// A solver of the wished kind, with one of another kind behind it.
///
/// The second is asked, from scratch, when the first has no optimum: what it finds, and what fits
/// the model, is taken; an infeasible or unbounded model is one that neither can solve. Then the
/// first goes on from the second's basis. Models with numbers that no solver can take
/// (has_usable_numbers) reach neither.
std::unique_ptr<Solver> make_rescue_solver(SolverKind kind, const SolverOptions& options);

/// Whether all numbers are numbers, costs are below 1e20, entries below 1e15 (as HiGHS asks), and
/// no lower bound is above all numbers or upper bound below.
bool has_usable_numbers(const Model& model);

/// Whether the bounds of the columns alone keep the objective from falling for ever, so that the
/// model is not unbounded, whatever a solver says.
bool is_bounded_below(const Model& model);

}  // namespace lockstep::lp::detail
