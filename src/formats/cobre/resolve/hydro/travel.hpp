#pragma once

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// When water that a plant releases reaches the next one, and what is on its way at the start.
/// @pre  rivers and phases of `system` are resolved
void resolve_travel(const raw::Case& raw, const Resolver& resolver, sddp::System& system);

}  // namespace lockstep::formats::cobre
