#pragma once

#include <vector>

#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/raw/scenarios.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// An explicit opening tree; it must hold every (stage, opening, entity) exactly once.
std::vector<sddp::OpeningValue> resolve_openings(const std::vector<raw::NoiseOpening>& rows,
                                                 const Resolver& resolver,
                                                 const sddp::System& system);

}  // namespace lockstep::formats::cobre
