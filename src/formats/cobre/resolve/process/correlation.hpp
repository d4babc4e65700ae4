#pragma once

#include "lockstep/sddp/process_data.hpp"

#include "formats/cobre/read/raw/scenarios.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Profiles with entities found and matrices checked; mistakes are reported.
sddp::CorrelationModel resolve_correlation(const raw::Correlation& correlation,
                                           const Resolver& resolver);

}  // namespace lockstep::formats::cobre
