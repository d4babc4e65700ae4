#pragma once

#include <span>

#include "lockstep/base/digest.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::sddp {

/// Bounds of each iteration and all cuts.
Digest digest_of(const TrainResult& result);

/// Everything that a scenario's tables are made from.
Digest digest_of(const ScenarioResult& result);

/// Digests of scenarios, in order.
Digest digest_of(std::span<const Digest> scenarios);

}  // namespace lockstep::sddp
