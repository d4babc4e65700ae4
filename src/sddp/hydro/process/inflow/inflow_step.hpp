#pragma once

#include <span>
#include <vector>

#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// The lags of a stage out of the state before it, [lags × hydros]: the state itself where it is
/// them, else a view of `buffer`, which grows when it is too small.
std::span<const double> recall_lags(const InflowModel& model,
                                    int stage,
                                    std::span<const double> state,
                                    std::vector<double>& buffer);

/// Slopes by the lags of a stage become slopes by the state before it, in place: the transpose of
/// recall_lags. `buffer` as there.
void recall_slopes(const InflowModel& model,
                   int stage,
                   std::span<double> slopes,
                   std::vector<double>& buffer);

/// What the inflows of a stage are before their noise, b + Σ ψ a [m³/s].
/// @param lags  [lags × hydros]
void expected_inflow(const InflowModel& model,
                     int stage,
                     std::span<const double> lags,
                     std::span<double> out);

}  // namespace lockstep::sddp
