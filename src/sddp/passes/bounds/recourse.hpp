#pragma once

#include <vector>

#include "lockstep/lp/solver.hpp"

#include "sddp/model/model.hpp"

namespace lockstep::sddp {

/// What the cost to go can grow by at most where a state is larger, or smaller, by one [$ per unit
/// of the state]; infinity where no answer is always open.
struct StatePrices {
    std::vector<double> more;  ///< [states], >= 0
    std::vector<double> less;  ///< [states], >= 0
};

/// Prices of the states after each node, [nodes].
///
/// Whatever a node decided, it can answer a change of its state along columns without a limit
/// (spilling, slacks): the cheapest such answer bounds the change of its cost, and what it leaves
/// to the future is priced in turn. Prices are of the Lipschitz kind, but by state and direction.
/// @pre  the model is convex
std::vector<StatePrices> state_prices(const Model& model,
                                      lp::SolverKind kind,
                                      const lp::SolverOptions& options);

}  // namespace lockstep::sddp
