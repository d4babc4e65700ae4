#pragma once

#include "app/wing.hpp"

namespace lockstep::app {

/// Reinforcement learning on tables.
Wing rl_wing();

}  // namespace lockstep::app
