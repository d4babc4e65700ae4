#pragma once

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

#include "sddp/hydro/process/seasons/state_places.hpp"

namespace lockstep::sddp {

/// Inflows of the seasons before the first stage, into `model.initial_lags`.
///
/// A season before the study that is not covered in full is 0 where the model never reads it, else
/// a problem. Of one that the study begins in the middle of, the days that are covered count. A
/// season that the model reads and that nothing covers is a problem.
void set_initial_lags(const Calendar& calendar,
                      const System& system,
                      const StatePlaces& places,
                      const PastInflows& past,
                      InflowModel& model,
                      Problems& problems);

}  // namespace lockstep::sddp
