#pragma once

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// Inflows of the months before the first stage, into `model.initial_lags`.
///
/// recent_observations come before inflow_history day by day. A month that is not covered in full
/// is 0 where the model never reads it, else a problem.
void set_initial_lags(const Calendar& calendar,
                      const System& system,
                      const ProcessData& data,
                      InflowModel& model,
                      Problems& problems);

}  // namespace lockstep::sddp
