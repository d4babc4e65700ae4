#pragma once

#include <vector>

#include "lockstep/xpcs/nlsq/determinacy.hpp"

#include "xpcs/nlsq/linear_model.hpp"

namespace lockstep::xpcs::nlsq {

/// @param bounds  [p] which parameters count as held
Determinacy determinacy_of(const LinearModel& model, const std::vector<AtBound>& bounds);

}  // namespace lockstep::xpcs::nlsq
