#pragma once

#include <vector>

#include "lockstep/lp/model.hpp"
#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::test {

/// The moment before the noise of `stage` is known.
struct TreeRoot {
    int stage = 0;
    std::vector<double> storage_hm3;  ///< [hydros]
    std::vector<double> lags_m3s;     ///< [lags × hydros], lag-major
    /// [transits], as the state has it: of each plant, what comes in `stage` and those after it.
    std::vector<double> transit_hm3{};
    /// [commitments], as the state has them: of each thermal plant, those of stage m in place m
    /// mod Thermal::commitments.
    std::vector<double> committed_mw{};
    std::vector<double> energy_mwh{};  ///< [batteries]
};

/// The beginning of the study.
TreeRoot study_root(const sddp::Problem& problem);

/// The deterministic equivalent: one LP over every path of the opening tree, or of the policy graph
/// with the openings of its nodes, from `root` on. Of a graph the root is that of the study.
///
/// Written out literally in natural units, with columns for incoming states, inflows, generation,
/// evaporation and every slack, so that it shares no reduction with a decomposition. Its optimum is
/// the nested risk-adjusted cost in money of the root's stage. Outcomes of stage t + 1 are weighed
/// by the measure of stage t, those of stage 0 by the measure of stage 0 too.
/// @par Source  CVaR by auxiliary columns: [RockafellarUryasev2000]
lp::Model extensive_form(const sddp::Problem& problem, const TreeRoot& root);

/// Optimum of extensive_form(problem, root).
/// @throws ModelError  the LP has no optimum
double extensive_optimum(const sddp::Problem& problem, const TreeRoot& root, lp::SolverKind solver);

/// … from the beginning of the study.
double extensive_optimum(const sddp::Problem& problem, lp::SolverKind solver);

}  // namespace lockstep::test
