#pragma once

#include <array>

#include "lockstep/sddp/process_data.hpp"

#include "sddp/hydro/process/fitting/yule_walker.hpp"

namespace lockstep::sddp {

using PlantFit = std::array<MonthFit, months_per_year>;

/// Chooses the order of each of `months` and fits its coefficients; other months stay white noise.
///
/// 1. The order is the longest lag with a significant partial correlation (5 %); with an annual
///    part it is at least 1 unless the first one is exactly 0.
/// 2. A month loses its lags when the first coefficient is negative or, in the first fit only, when
///    one exceeds the limit. The annual coefficient of that fit stays.
/// 3. A month fails when it answers an inflow at one of its own lags with a negative amount, by all
///    paths through the months between. While some fail, all these choose their order anew below a
///    ceiling that sinks by one, and 2 is applied.
PlantFit fit_plant(const MonthlyMoments& moments,
                   const EstimationOptions& options,
                   MonthSet months = MonthSet().set());

/// What a unit of noise in each of the last `lags` months adds to the inflow of `month` [m³/s per
/// m³/s].
std::vector<double> contributions(const PlantFit& fit,
                                  const MonthlyMoments& moments,
                                  int month,
                                  int lags);

}  // namespace lockstep::sddp
