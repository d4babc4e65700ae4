#pragma once

#include <span>
#include <vector>

#include "sddp/model/outcome.hpp"
#include "sddp/model/stage_lp.hpp"

namespace lockstep::sddp {

/// Sides of a stage LP's own rows at incoming decided states and an outcome, into the first of
/// `lower` and `upper`. Equation (8).
void set_stage_sides(const StageLp& stage,
                     std::span<const double> incoming,
                     const Outcome& outcome,
                     std::vector<double>& lower,
                     std::vector<double>& upper);

}  // namespace lockstep::sddp
