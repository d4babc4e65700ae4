#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::sddp {

/// Decides after an iteration whether training ends.
///
/// With stop_when_all every rule but the iteration limits must hold at the same iteration; the
/// largest iteration limit ends training in any case.
/// @param bounds   lower bounds so far, one an iteration
/// @param elapsed  seconds since training began, equal on all ranks
std::optional<StopReason> should_stop(const TrainOptions& options,
                                      std::span<const double> bounds,
                                      double elapsed);

}  // namespace lockstep::sddp
