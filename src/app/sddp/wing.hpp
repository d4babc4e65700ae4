#pragma once

#include "app/wing.hpp"

namespace lockstep::app {

/// Hydrothermal dispatch.
Wing sddp_wing();

}  // namespace lockstep::app
