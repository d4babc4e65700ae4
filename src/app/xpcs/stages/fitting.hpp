#pragma once

#include <string>
#include <vector>

#include "lockstep/formats/xpcs/records.hpp"

#include "app/job/job.hpp"
#include "app/xpcs/bridge.hpp"
#include "app/xpcs/shards/shard_dealing.hpp"
#include "app/xpcs/stages/dataset.hpp"

namespace lockstep::app {

/// A fit with its errors.
struct Fitted {
    xpcs::FitResult result{};
    formats::xpcs::FitRecord record{};
    std::vector<std::string> notes{};  ///< what the user may like to know
    bool ended_early = false;
    DealtShards dealt{};  ///< while errors were found
};

/// The second stage: least squares and error bars. Writes nothing. Collective.
/// @throws InputError
Fitted fit_dataset(const XpcsRequest& request,
                   const Dataset& dataset,
                   Job& job,
                   XpcsBridge& bridge);

}  // namespace lockstep::app
