#pragma once

#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// Whether the LP may buy missing inflow.
bool has_inflow_slack(const Problem& problem);

/// Whether a generic constraint of the stage looks at water that passes `hydro`: spillage, outflow,
/// evaporation, or the inflow of a plant that it feeds.
bool mentions_water_of(const System& system, int stage, int hydro);

/// Whether the evaporation of a plant in a stage is certain to follow its line, so that it can be
/// substituted: both slacks of the line are dominated by cheaper ways to gain or lose the same
/// water, and the limit of the flow is out of reach for every storage (docs/sddp-theory.md, section
/// 5).
bool evaporation_needs_no_row(const Problem& problem, int stage, int hydro);

}  // namespace lockstep::sddp
