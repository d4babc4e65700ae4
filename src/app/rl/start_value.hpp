#pragma once

#include <optional>
#include <span>

#include "lockstep/formats/rl/solution.hpp"

namespace lockstep::app {

/// Mean value over the starts, with bounds that hold in exact arithmetic; nothing without starts.
std::optional<formats::rl::BoundedValue> start_value(std::span<const rl::Start> starts,
                                                     const rl::Solution& solution);

}  // namespace lockstep::app
