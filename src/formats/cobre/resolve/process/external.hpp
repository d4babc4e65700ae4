#pragma once

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

/// Ready-made scenarios of all classes. Where training meets those of loads, their moments take the
/// place of the statistics.
void resolve_external(const raw::Case& raw,
                      const Resolver& resolver,
                      sddp::System& system,
                      sddp::ProcessData& out);

}  // namespace lockstep::formats::cobre
