#pragma once

#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// What the process makes of the inflow of every plant and stage, seen from the observed lags on,
/// beside the record of that month, or beside the statistics where the record is short.
///
/// Means and covariances are carried through the recursion z = b + Σ ψ a + σ η, without what is
/// done about negative inflows. A plant and stage without either to compare with is left out.
std::vector<InflowMomentCheck> check_moments(const Calendar& calendar,
                                             const System& system,
                                             const ProcessData& tables,
                                             const InflowModel& model);

/// One warning about the cell that is furthest off, with the number of others, where the process
/// leaves what was observed: a mean more than 4 deviations away, a deviation more than twice as
/// large, or less than half of it once the observed lags no longer matter.
void report_moments(const Calendar& calendar,
                    const System& system,
                    const std::vector<InflowMomentCheck>& checks,
                    Problems& problems);

}  // namespace lockstep::sddp
