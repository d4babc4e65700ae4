#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/rl/learn/report.hpp"

namespace lockstep::rl {

/// @param ages  [age in rounds]: how many changes were so old when they were combined
Staleness staleness_of(std::vector<std::int64_t> ages);

}  // namespace lockstep::rl
