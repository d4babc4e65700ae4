#include "app/xpcs/stages/sampling.hpp"

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"

namespace lockstep::app {
namespace {

formats::xpcs::ConsensusRecord combined_shards(const XpcsRequest& request,
                                               const Dataset& dataset,
                                               const Fitted& fitted,
                                               const Sampled& whole,
                                               Job& job,
                                               XpcsBridge& bridge) {
    xpcs::ConsensusOptions how;
    how.shards = request.shards;
    how.combination = request.combination;
    const auto consensus = xpcs::consensus(dataset.measurement(),
                                           dataset.fitting,
                                           fitted.result,
                                           whole.options,
                                           how,
                                           job.team(),
                                           &bridge);
    return consensus_record(consensus, how.combination, whole.draws);
}

}  // namespace

Sampled sample_dataset(const XpcsRequest& request,
                       const Dataset& dataset,
                       const Fitted& fitted,
                       Job& job,
                       XpcsBridge& bridge) {
    const Stopwatch watch;
    const auto& measurement = dataset.measurement();
    Sampled sampled;
    sampled.options =
        sample_options(request, dataset.configuration, measurement, dataset.fitting, fitted.result);
    sampled.draws = xpcs::sample(
        measurement, dataset.fitting, fitted.result, sampled.options, job.team(), &bridge);
    bridge.settle();
    sampled.record = posterior_record(dataset.fitting, sampled.draws);
    sampled.record.data = fitted.record.data;
    if (request.shards > 0 && sampled.draws.is_complete) {
        sampled.record.consensus = combined_shards(request, dataset, fitted, sampled, job, bridge);
    }
    sampled.record.seconds = watch.seconds();
    return sampled;
}

}  // namespace lockstep::app
