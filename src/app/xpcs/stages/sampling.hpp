#pragma once

#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "app/job/job.hpp"
#include "app/xpcs/bridge.hpp"
#include "app/xpcs/stages/dataset.hpp"
#include "app/xpcs/stages/fitting.hpp"

namespace lockstep::app {

/// Draws of a posterior.
struct Sampled {
    xpcs::SampleOptions options{};
    xpcs::SampleResult draws{};
    formats::xpcs::PosteriorRecord record{};

    [[nodiscard]] bool has_draws() const noexcept { return draws.draws > 0; }
};

/// The third stage: the posterior around a fit, of shards too where they are asked for. Writes
/// nothing but checkpoints. Collective.
/// @throws InputError, ModelError
Sampled sample_dataset(const XpcsRequest& request,
                       const Dataset& dataset,
                       const Fitted& fitted,
                       Job& job,
                       XpcsBridge& bridge);

}  // namespace lockstep::app
