#pragma once

#include <span>
#include <vector>

#include "app/xpcs/batch/inputs.hpp"

namespace lockstep::app {

/// The items of one rank, in their order: the largest first to whoever has the least so far, as
/// "longest processing time first" has it [Graham1969].
std::vector<const BatchItem*> share_of(std::span<const BatchItem* const> items,
                                       int rank,
                                       int ranks);

}  // namespace lockstep::app
