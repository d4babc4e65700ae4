#pragma once

#include <map>

#include "lockstep/sddp/problem.hpp"

namespace lockstep::test {

/// What a lag is by its definition: the mean over the days of a season, each with the inflow of the
/// stage that covers it or, before the study, with its observation.
struct SeasonMean {
    std::map<int, double> of_stage;  ///< weight of the inflow of a stage
    double constant = 0;             ///< of what was observed [m³/s]
};

/// The lag of a plant at a stage, found day by day.
/// @param lag  0: the season before that of the stage
/// @pre the season map has whole months, in a custom cycle seasons of whole months
SeasonMean season_mean(const sddp::Problem& problem, int stage, int lag, int hydro);

}  // namespace lockstep::test
