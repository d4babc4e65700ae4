#pragma once

#include <vector>

#include "lockstep/sddp/process_data.hpp"

#include "sddp/hydro/process/fitting/orders.hpp"

namespace lockstep::sddp {

/// What the monthly lags of a fitted model leave unexplained, standardised, by month; NaN where a
/// lag is missing. The yearly part stays in, as in the published values of Cobre.
MonthlySeries residuals(const MonthlyMoments& moments, const PlantFit& fit);

/// Correlation of residuals between plants.
///
/// A profile "default" over all `months`; and a profile "season_NN" for every season of these whose
/// calendar month has at least 30 residuals common to each pair of plants, scheduled at the stages
/// of that season. A plant without variation is independent of all others.
CorrelationModel residual_correlation(const Calendar& calendar,
                                      const std::vector<MonthlySeries>& residuals,
                                      MonthSet months = MonthSet().set());

}  // namespace lockstep::sddp
