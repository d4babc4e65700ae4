#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

#include "sddp/hydro/process/noise/correlation.hpp"
#include "sddp/hydro/process/scenarios/scenario_library.hpp"

namespace lockstep::sddp {

/// Number of the noise group of each stage, counted by appearance.
///
/// Stages of one season and one calendar year (of their start) are a group: weeks of a month see
/// one monthly draw. A stage without a season is a group of its own.
std::vector<int> noise_groups(const Calendar& calendar);

/// Draws the tree: openings of each stage by its method, correlated by its profile.
///
/// A stage of the same group as the stage before it repeats the first of that stage's openings;
/// more than there are have noise 0, with a warning. Stages are known by their ids, so a tree does
/// not change when stages are put in front.
/// @param history  what stages with historical residuals draw from: of each opening one scenario,
///                 as it is; loads and availabilities are at their means
OpeningTree draw_openings(const Calendar& calendar,
                          int dimension,
                          std::uint64_t seed,
                          const NoiseCorrelation& correlation,
                          const NoiseLibrary& history,
                          Problems& problems);

/// Takes the tree from rows, which must give each (stage, opening, entity) exactly once.
OpeningTree read_openings(const Calendar& calendar,
                          int dimension,
                          const std::vector<OpeningValue>& rows,
                          Problems& problems);

}  // namespace lockstep::sddp
