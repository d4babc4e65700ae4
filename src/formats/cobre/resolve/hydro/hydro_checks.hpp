#pragma once

#include <vector>

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/resolve/lookup.hpp"

namespace lockstep::formats::cobre {

/// Whether a sum is above a limit by more than the last digits of decimals.
bool exceeds(double sum, double limit);

/// Limits of a plant and its unit groups as declared.
void check_declared_hydro(const raw::Hydro& hydro, const Resolver& resolver);

/// Reports every cycle of the cascade once, as the list of its ids.
void check_cascade(const std::vector<sddp::Hydro>& hydros, const Resolver& resolver);

/// Limits after all overrides: those that the stage problem keeps hard must be in order; those with
/// a slack are only questionable.
void check_resolved_hydro(const raw::Hydro& raw,
                          const sddp::Hydro& hydro,
                          const Resolver& resolver);

}  // namespace lockstep::formats::cobre
