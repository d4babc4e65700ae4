#pragma once

#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// What somebody wants to simulate, whatever the process holds for likely.
///
/// A class without values stays as the process has it, and so do buses and sources without any. A
/// stage with fewer scenarios than others repeats them.
struct OwnScenarios {
    std::vector<ExternalValue> inflow;  ///< of every plant
    std::vector<ExternalValue> load;
    std::vector<ExternalValue> source;
};

/// Scenarios of the stage that has most.
int scenario_count(const Calendar& calendar, const OwnScenarios& scenarios);

/// The years of the record as scenarios of inflows, one for each in which the study could have
/// begun: a stage has the mean of its season. Years that the record of a plant does not cover in
/// full are left out.
/// @param years  those that may be taken; empty: any
OwnScenarios recorded_scenarios(const Calendar& calendar,
                                const System& system,
                                const std::vector<InflowObservation>& record,
                                const std::vector<int>& years);

/// The problem whose simulation meets these scenarios, the first in scenario 0 and so on, over and
/// over. Cuts see the inflows as they come; truncation still makes negative ones 0.
///
/// Good for simulation only: nothing can be trained on it. Values that are missing are problems of
/// the subjects of external scenarios; the result must not be used then.
Problem with_scenarios(Problem problem, const OwnScenarios& scenarios, Problems& problems);

}  // namespace lockstep::sddp
