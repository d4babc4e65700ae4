#pragma once

#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "xpcs/posterior_frame.hpp"
#include "xpcs/shards/run.hpp"

namespace lockstep::xpcs {

/// One posterior of those of the shards, and what is to be said of each.
/// @param frame  of all data
ConsensusResult combine_shards(const ShardRun& run,
                               const PosteriorFrame& frame,
                               const FitOptions& options,
                               const SampleOptions& sampling,
                               const ConsensusOptions& how,
                               runtime::ThreadTeam& threads);

}  // namespace lockstep::xpcs
