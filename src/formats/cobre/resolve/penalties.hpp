#pragma once

#include <vector>

#include "lockstep/sddp/system.hpp"

#include "formats/cobre/read/raw/penalties.hpp"

namespace lockstep::formats::cobre {

/// Replaces the costs that a narrower level gives. A symmetric cost also sets its two directional
/// ones, unless the same level gives those.
void apply(sddp::HydroCosts& costs, const raw::HydroCosts& level);

/// The case's defaults.
sddp::HydroCosts global_costs(const raw::Penalties& penalties);

/// Deficit segments; the last is unbounded.
std::vector<sddp::DeficitSegment> resolve_deficit(const std::vector<raw::DeficitSegment>& segments);

/// Reports segments that are no convex, unbounded cost curve.
void check_deficit(const std::vector<raw::DeficitSegment>& segments,
                   const std::string& file,
                   const std::string& entity,
                   Problems& problems);

}  // namespace lockstep::formats::cobre
