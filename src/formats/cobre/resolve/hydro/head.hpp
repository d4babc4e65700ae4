#pragma once

#include "formats/cobre/read/raw/hydros.hpp"
#include "formats/cobre/read/raw/production.hpp"
#include "formats/cobre/resolve/hydro/geometry.hpp"

namespace lockstep::formats::cobre {

/// Volume at which a plant's head is taken when it must be one number [hm³].
double reference_volume(const raw::Reservoir& reservoir,
                        const std::optional<raw::ReferenceVolume>& declared);

/// Level below the plant at an outflow [m]; 0 without a tailrace.
double tailrace_level(const std::optional<raw::Tailrace>& tailrace, double outflow_m3s);

/// Level above minus level below minus losses [m], at least 0. @pre the curve is not empty
double net_head(const raw::Hydro& hydro,
                const ReservoirCurve& curve,
                double volume_hm3,
                double outflow_m3s);

}  // namespace lockstep::formats::cobre
