#pragma once

#include "lockstep/sddp/process_data.hpp"

#include "formats/cobre/lookup.hpp"
#include "formats/cobre/raw/scenarios.hpp"

namespace lockstep::formats::cobre {

/// Profiles with entities found and matrices checked; mistakes are reported.
sddp::CorrelationModel resolve_correlation(const raw::Correlation& correlation,
                                           const Resolver& resolver);

}  // namespace lockstep::formats::cobre
