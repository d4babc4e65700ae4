#pragma once

#include "lockstep/sddp/process_data.hpp"

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Observations of the initial conditions; they end before the study.
std::vector<sddp::InflowObservation> resolve_recent(const raw::Case& raw, const Resolver& resolver);

/// Nothing when the case has no history.
std::optional<std::vector<sddp::InflowObservation>> resolve_history(const raw::Case& raw,
                                                                    const Resolver& resolver);

}  // namespace lockstep::formats::cobre
