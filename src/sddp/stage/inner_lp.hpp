#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/cut_slopes.hpp"

#include "sddp/model/model.hpp"

namespace lockstep::sddp {

/// Points after a node at each of which the cost to go is at most a value, and what it costs to
/// stray from them.
struct Vertices {
    std::vector<std::vector<double>> states;  ///< [vertices][states]
    std::vector<double> values;               ///< [vertices], [$]
    std::span<const double> more, less;       ///< [states], StatePrices
};

/// LP of a node whose future costs what the vertices say: the state is a mean of vertices, with
/// weights at will, and the rest is paid for. Its optimum is no less than the node's true cost.
///
///   min c·u + d·(Σ λ_i v_i + p⁺·y⁺ + p⁻·y⁻)    x'(u) = Σ λ_i x_i + y⁺ - y⁻,  Σ λ_i = 1
///
/// @par Source  [PhilpottDeMatosFinardi2013]; the penalty of what strays as in [DaCostaLeclere2023]
class InnerLp {
public:
    InnerLp(const Model& model, int node, const Vertices& vertices);

    /// Gives the LP to a solver.
    void load(lp::Solver& solver) const { solver.load(lp_); }
    /// Its optimum [$], infinity where there is none.
    /// @param older  carried states after the node that do not depend on the outcome
    double solve(lp::Solver& solver,
                 std::span<const double> incoming,
                 std::span<const double> older,
                 const Outcome& outcome) const;

private:
    const StageLp& stage_;
    StateLayout states_;
    std::vector<int> row_of_state_;  // [states], -1: none
    lp::Model lp_;
};

}  // namespace lockstep::sddp
