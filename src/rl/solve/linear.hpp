#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/solve/sweep.hpp"

namespace lockstep::rl {

/// v = R + gamma·Pv of a policy, without self-loops: v = b + Cv.
class PolicyEquations {
public:
    /// @param policy  at most one pair a state
    PolicyEquations(const RowTable& policy, double gamma);

    /// Improves v until no equation is off by more than `target`, by the stabilised method of
    /// bi-conjugate gradients after Gauss-Seidel both ways within blocks of states. Leaves v as it
    /// is where that does not help. Sums are in an order that the number of states gives.
    /// @return sweeps over all states that it took, at most about `budget`
    /// @par Source  [VanDerVorst1992]
    std::int64_t improve(std::span<double> v,
                         double target,
                         std::int64_t budget,
                         runtime::ThreadTeam& team) const;

    /// A sweep in place as GaussSeidel makes it, blocks and all.
    Change sweep(std::span<double> v, bool backwards, runtime::ThreadTeam& team);

private:
    friend class Iteration;
    std::vector<std::int64_t> first_;
    std::vector<std::int32_t> next_;
    std::vector<double> factor_;
    std::vector<double> constant_;
    std::vector<double> old_;
};

}  // namespace lockstep::rl
