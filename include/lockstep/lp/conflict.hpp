#pragma once

#include <vector>

#include "lockstep/lp/model.hpp"
#include "lockstep/lp/solver.hpp"

namespace lockstep::lp {

/// Rows and column bounds that contradict each other, ascending.
///
/// Irreducible if `is_irreducible`: without any one of them the rest can be satisfied.
struct Conflict {
    std::vector<int> rows;
    std::vector<int> column_lower;
    std::vector<int> column_upper;
    bool is_irreducible = false;

    [[nodiscard]] bool empty() const noexcept {
        return rows.empty() && column_lower.empty() && column_upper.empty();
    }
};

/// Finds why `model` has no solution, for an error message.
///
/// A relaxed model pays for each violated row and bound; those that have a price at its optimum
/// already contradict each other, and are then left out one by one (elastic and deletion filter of
/// [Chinneck2008], chapter 6). A crossed pair of bounds is reported at once. At most `solve_limit`
/// models are solved; the filter stops there with a conflict that may not be irreducible.
///
/// @return an empty conflict if the model is feasible, or if the solver cannot tell
Conflict find_conflict(const Model& model,
                       SolverKind kind,
                       const SolverOptions& options = {},
                       int solve_limit = 500);

}  // namespace lockstep::lp
