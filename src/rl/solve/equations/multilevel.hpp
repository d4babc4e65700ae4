#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/runtime/thread_team.hpp"

#include "rl/solve/equations/couplings.hpp"

namespace lockstep::rl {

/// Solves x = r + Cx roughly: Gauss-Seidel within blocks for what differs from neighbour to
/// neighbour, and for the rest the same with groups of about four unknowns as one, equation (12).
/// @par Source  [Notay2010], [NotayVassilevski2008]
class Multilevel {
public:
    /// `finest` must outlive this.
    Multilevel(const Couplings& finest, runtime::ThreadTeam& team);

    /// x of the solution for r, roughly; not linear in r.
    void solve(std::span<const double> r, std::span<double> x, runtime::ThreadTeam& team);

private:
    struct Level {
        Couplings own;                           // empty: the finest
        std::vector<std::int32_t> group;         // [unknowns] number on the next level
        std::vector<std::int64_t> member_first;  // [groups + 1]
        std::vector<std::int32_t> member;
        std::vector<double> rest;
        std::vector<double> r;
        std::vector<double> x;
        std::vector<double> first;  // directions of the two steps, and what C makes of them
        std::vector<double> first_image;
        std::vector<double> second_image;
    };

    bool coarsen(runtime::ThreadTeam& team);
    void cycle(std::size_t level,
               std::span<const double> r,
               std::span<double> x,
               runtime::ThreadTeam& team);
    void sum_rest(std::size_t level, runtime::ThreadTeam& team);
    void two_steps(std::size_t level, runtime::ThreadTeam& team);
    void solve_coarsest(std::span<const double> r, std::span<double> x, runtime::ThreadTeam& team);
    [[nodiscard]] const Couplings& matrix(std::size_t level) const {
        return level == 0 ? finest_ : levels_[level].own;
    }

    const Couplings& finest_;
    std::vector<Level> levels_;
    std::vector<double> factors_;  // of the coarsest level, [n, n]; empty: too many unknowns
};

}  // namespace lockstep::rl
