#pragma once

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Stage and block overrides of plants and unit groups, and stage overrides of costs.
/// @return  least flow that fills a reservoir [m³/s], [hydros]
std::vector<sddp::ByStage> apply_hydro_bounds(const raw::Case& raw,
                                              const Resolver& resolver,
                                              sddp::System& system);

}  // namespace lockstep::formats::cobre
