#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/solve/equations/couplings.hpp"
#include "rl/solve/sweeps/sweep.hpp"

namespace lockstep::rl {

/// v = R + gamma·Pv of a policy, without self-loops: v = b + Cv.
class PolicyEquations {
public:
    /// Those of the rank's own states. Collective.
    /// @param choice  as jacobi_sweep
    PolicyEquations(const RowSource& source,
                    const std::vector<std::int32_t>& choice,
                    double gamma,
                    const Workers& workers);

    struct Improvement {
        std::int64_t sweeps;  ///< over all states that it took
        double error;         ///< by which the worst equation is off
    };

    /// Improves v, where one rank has all states, until no equation is off by more than `target`,
    /// by the stabilised method of bi-conjugate gradients after Multilevel, equation (12). Leaves v
    /// as it is where that does not help. Sums are in an order that the number of states gives.
    /// @param budget  sweeps that it may take, about
    /// @par Source  [VanDerVorst1992]
    Improvement improve(std::span<double> v,
                        double target,
                        std::int64_t budget,
                        runtime::ThreadTeam& team) const;

    /// A sweep in place as GaussSeidel makes it, blocks and all.
    Change sweep(std::span<double> v, bool backwards, const Workers& workers);

private:
    double add_equation(
        const RowBlock& rows, std::int64_t pair, std::int32_t s, double gamma, Couplings& part);
    template <bool is_backwards>
    Change sweep_block(std::span<double> v, std::int64_t begin, std::int64_t end) const;

    int begin_ = 0;  // of the states whose equations these are
    int states_;
    Couplings couplings_;
    std::vector<double> constant_;
    std::vector<double> old_;
};

}  // namespace lockstep::rl
