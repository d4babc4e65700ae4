#pragma once

#include <vector>

#include "app/wing.hpp"

namespace lockstep::app {

/// Where a part ("training", "simulation") of two output directories first holds other bits: in the
/// bounds, the cuts, the scenarios. The paths of a training are its folder and the policy's.
std::vector<Difference> differences(const PartOnDisk& left, const PartOnDisk& right);

}  // namespace lockstep::app
