#pragma once

#include <vector>

#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/system.hpp"

#include "formats/cobre/lookup.hpp"
#include "formats/cobre/raw/scenarios.hpp"

namespace lockstep::formats::cobre {

/// An explicit opening tree; it must hold every (stage, opening, entity) exactly once.
std::vector<sddp::OpeningValue> resolve_openings(const std::vector<raw::NoiseOpening>& rows,
                                                 const Resolver& resolver,
                                                 const sddp::System& system);

}  // namespace lockstep::formats::cobre
