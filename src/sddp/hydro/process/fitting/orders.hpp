#pragma once

#include <vector>

#include "lockstep/sddp/process_data.hpp"

#include "sddp/hydro/process/fitting/yule_walker.hpp"

namespace lockstep::sddp {

/// By season of the cycle.
using PlantFit = std::vector<SeasonFit>;

/// Chooses the order of each of `seasons` and fits its coefficients; other seasons stay white
/// noise.
///
/// 1. The order is the longest lag with a significant partial correlation (5 %); with an annual
///    part it is at least 1 unless the first one is exactly 0.
/// 2. A season loses its lags when the first coefficient is negative or, in the first fit only,
/// when
///    one exceeds the limit. The annual coefficient of that fit stays.
/// 3. A season fails when it answers an inflow at one of its own lags with a negative amount, by
/// all
///    paths through the seasons between. While some fail, all these choose their order anew below a
///    ceiling that sinks by one, and 2 is applied.
PlantFit fit_plant(const SeasonMoments& moments,
                   const EstimationOptions& options,
                   SeasonSet seasons = SeasonSet().set());

/// What a unit of noise in each of the last `lags` seasons adds to the inflow of `season` [m³/s per
/// m³/s].
std::vector<double> contributions(const PlantFit& fit,
                                  const SeasonMoments& moments,
                                  int season,
                                  int lags);

}  // namespace lockstep::sddp
