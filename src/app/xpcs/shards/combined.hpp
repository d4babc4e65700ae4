#pragma once

#include <memory>

#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "app/job/job.hpp"
#include "app/xpcs/bridge.hpp"
#include "app/xpcs/stages/dataset.hpp"
#include "app/xpcs/stages/fitting.hpp"

namespace lockstep::app {

/// The draws of shards combined.
struct CombinedShards {
    xpcs::ConsensusResult consensus{};
    formats::xpcs::ConsensusRecord record{};
};

/// Command line or configuration ask for shards.
bool wants_shards(const XpcsRequest& request, const Dataset& dataset, const Fitted& fitted);

/// Begins to deal the shards that are to be sampled around the fit; nullptr: there are none. The
/// dataset is referred to.
std::unique_ptr<ShardDealing> begin_dealing(const XpcsRequest& request,
                                            const Dataset& dataset,
                                            const Fitted& fitted);

/// Samples shards where they are to be sampled and combines them. People are told of what is other
/// than they asked for. Collective.
/// @param whole  draws of all data, to compare with; nullptr: there are none
CombinedShards combined_shards(const XpcsRequest& request,
                               const Dataset& dataset,
                               const Fitted& fitted,
                               const xpcs::SampleOptions& sampling,
                               const xpcs::SampleResult* whole,
                               Job& job,
                               XpcsBridge& bridge);

}  // namespace lockstep::app
