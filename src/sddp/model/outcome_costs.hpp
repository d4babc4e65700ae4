#pragma once

#include <span>

#include "lockstep/sddp/calendar.hpp"

#include "sddp/model/stage_lp.hpp"

namespace lockstep::sddp {

/// Gives a stage LP a future cost for each outcome that may follow, so that cuts of each can be
/// made apart (multi-cut): θ is the risk measure of these, exactly, in rows and columns behind the
/// others.
/// @param probability  of the outcomes
/// @pre  the measure has no entropic part, which is no linear programme
/// @par Source  [BirgeLouveaux1988]; CVaR as in [RockafellarUryasev2000]
void split_future(StageLp& stage, std::span<const double> probability, const RiskMeasure& measure);

}  // namespace lockstep::sddp
