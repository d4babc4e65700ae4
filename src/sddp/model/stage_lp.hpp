#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "lockstep/base/index.hpp"
#include "lockstep/base/shared_array.hpp"
#include "lockstep/lp/model.hpp"

namespace lockstep::sddp {

/// A quantity as the stage LP knows it: a column, or a number when it is no decision.
struct Slot {
    int column = -1;
    double constant = 0;
    [[nodiscard]] double value(std::span<const double> x) const noexcept {
        return column < 0 ? constant : x[at(column)];
    }
};

/// A row whose right-hand side moves with some input: rhs += coefficient · input.
struct Coupling {
    int row = 0;
    double coefficient = 0;
};

/// Couplings of each of some inputs, one list after the other.
struct CouplingTable {
    SharedArray<int> first;  ///< [inputs + 1]
    SharedArray<Coupling> entries;
    [[nodiscard]] int inputs() const noexcept {
        return std::max(static_cast<int>(first.size()) - 1, 0);
    }
    [[nodiscard]] std::span<const Coupling> of(int input) const noexcept {
        const auto i = static_cast<std::size_t>(input);
        return {entries.data() + first[i], static_cast<std::size_t>(first[i + 1] - first[i])};
    }
};

/// The LP of one stage without its cuts, as far as the algorithm has to know it.
///
/// What comes in from outside, the state and the outcome, are no columns: they move right-hand
/// sides. The objective is in dollars times `objective_scale`, the future cost column in dollars
/// times `theta_scale`; both are powers of two.
struct StageLp {
    int stage = 0;
    lp::Model model;
    int theta = 0;  ///< column of the future cost
    /// [outcomes that may follow], columns of their costs, in the unit of θ; empty: cuts are of all
    /// together.
    SharedArray<int> outcome_theta;
    double discount = 1;  ///< weight of the future cost
    double objective_scale = 1;
    double theta_scale = 1;
    double constant_cost = 0;        ///< [$], of what is no decision
    SharedArray<Slot> decided;       ///< [decided states], at the end of the stage
    CouplingTable decided_coupling;  ///< per unit of a decided state at its beginning
    CouplingTable drawn_coupling;    ///< per unit of what an outcome draws (Outcome::drawn)
    /// Column that cuts bound of an outcome's cost; -1: of all together.
    [[nodiscard]] int theta_of(int outcome) const noexcept {
        return outcome < 0 ? theta : outcome_theta[at(outcome)];
    }
};

}  // namespace lockstep::sddp
