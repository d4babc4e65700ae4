#pragma once

#include <vector>

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// What plants are from stage to stage: built late, filled first, closed early. Sets their phases,
/// takes the limits of what they cannot do yet or any more to 0, and the minimum of storages that
/// may be missed from the hard limits to the targets.
/// @param filling_rates  least flow that fills the dead volume [m³/s], [hydros]
/// @pre  limits of `system` are resolved and checked
void apply_phases(const raw::Case& raw,
                  const std::vector<sddp::ByStage>& filling_rates,
                  const Resolver& resolver,
                  sddp::System& system);

}  // namespace lockstep::formats::cobre
