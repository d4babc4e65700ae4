#pragma once

#include <array>

#include "lockstep/sddp/process_data.hpp"

#include "sddp/process/fitting/yule_walker.hpp"

namespace lockstep::sddp {

using PlantFit = std::array<MonthFit, months_per_year>;

/// Chooses the order of each calendar month and fits its coefficients.
///
/// 1. The order is the longest lag with a significant partial correlation (5 %); with an annual
/// part it is at
///    least 1 unless the first one is exactly 0.
/// 2. A month falls back to white noise (order 0, no annual part) when a coefficient exceeds the
/// limit or
///    the first one is negative.
/// 3. While some month answers an inflow up to `max_order` months back with a negative amount, its
/// order is chosen
///    anew below a ceiling that sinks by one.
PlantFit fit_plant(const MonthlyMoments& moments, const EstimationOptions& options);

/// What a unit of noise in each of the last `lags` months adds to the inflow of `month` [m³/s per
/// m³/s].
std::vector<double> contributions(const PlantFit& fit,
                                  const MonthlyMoments& moments,
                                  int month,
                                  int lags);

}  // namespace lockstep::sddp
