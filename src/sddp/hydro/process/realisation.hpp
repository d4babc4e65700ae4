#pragma once

#include <span>
#include <vector>

#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// What a noise vector means for one stage.
struct Realisation {
    std::span<const double> lags;     ///< [lags × hydros], m³/s, of the stage
    std::vector<double> recalled;     ///< what they are a view of where the state is not them
    std::vector<double> inflow;       ///< [hydros], m³/s
    std::vector<double> untruncated;  ///< [hydros], m³/s, before a negative one became 0
    std::vector<double> shock;        ///< [hydros], m³/s, the part of it that is noise
    std::vector<double> load;         ///< [buses × blocks], MW
    std::vector<double> available;    ///< [sources × blocks], MW
};

/// Inflows, loads and availabilities of a stage. Allocates only when `out` is smaller than needed.
///
/// The lags are a view of the state before the stage, which must stay, or of `out`. With truncation
/// a negative inflow becomes 0 (as if its noise had been larger), where there is noise.
void realise(const Problem& problem,
             int stage,
             std::span<const double> incoming_lags,
             std::span<const double> noise,
             Realisation& out);

/// What a stage leaves of its lags: its inflow first, the others one place on. The spans must not
/// overlap.
void shift_lags(std::span<const double> lags,
                std::span<const double> inflow,
                std::span<double> outgoing);

}  // namespace lockstep::sddp
