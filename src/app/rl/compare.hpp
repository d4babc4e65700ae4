#pragma once

#include <vector>

#include "app/wing.hpp"

namespace lockstep::app {

/// Where a part ("solution", "training") of two output directories first holds other bits: the
/// first state, or the first state and action.
std::vector<Difference> rl_differences(const PartOnDisk& left, const PartOnDisk& right);

}  // namespace lockstep::app
