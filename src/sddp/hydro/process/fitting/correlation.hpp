#pragma once

#include <map>
#include <vector>

#include "lockstep/sddp/process_data.hpp"

#include "sddp/hydro/process/fitting/orders.hpp"

namespace lockstep::sddp {

/// What the lags of a fitted model leave unexplained, standardised, by step; NaN where a lag is
/// missing. The yearly part stays in, as in the published values of Cobre.
SeasonSeries residuals(const SeasonMoments& moments, const PlantFit& fit);

/// Correlation of residuals between plants.
///
/// A profile "default" over all `seasons`; and a profile "season_NN" for every one of these that
/// has at least 30 residuals common to each pair of plants, scheduled at the stages of that season.
/// A plant without variation is independent of all others.
/// @param places  of the seasons in the cycle, by id
CorrelationModel residual_correlation(const Calendar& calendar,
                                      const std::map<int, int>& places,
                                      const std::vector<SeasonSeries>& residuals,
                                      SeasonSet seasons = SeasonSet().set());

}  // namespace lockstep::sddp
