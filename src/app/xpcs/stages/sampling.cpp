#include "app/xpcs/stages/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/xpcs/consensus.hpp"

#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"
#include "app/xpcs/shards/shard_farm.hpp"

namespace lockstep::app {
namespace {

int shards_of(const XpcsRequest& request, const formats::homodyne::Cmc& cmc) {
    return request.shards > 0 ? request.shards : cmc.shards.value_or(0);
}

xpcs::ConsensusOptions consensus_options(const XpcsRequest& request,
                                         const formats::homodyne::Cmc& cmc) {
    xpcs::ConsensusOptions how;
    how.shards = shards_of(request, cmc);
    how.combination = request.combination;
    how.limits.divergence_rate = cmc.most_divergences;
    how.limits.rhat = cmc.most_r_hat;
    how.time_limit = std::chrono::milliseconds(std::llround(1000 * cmc.shard_time_limit_s));
    return how;
}

/// homodyne's keys ask for it when few shards are left, not for an end.
void tell_of_losses(const xpcs::ConsensusResult& consensus,
                    const formats::xpcs::ConsensusRecord& record,
                    const formats::homodyne::Cmc& cmc,
                    Job& job) {
    const double success = record.kept / static_cast<double>(record.shards);
    if (!consensus.shortfall.empty()) {
        job.observer().on_notice(Notice::trouble,
                                 "shards were not combined: " + consensus.shortfall);
    } else if (success < std::max(cmc.least_success, cmc.warned_success)) {
        job.observer().on_notice(
            Notice::trouble,
            fmt::format("only {} of {} shards could be combined", record.kept, record.shards));
    }
}

/// The draws of shards combined.
struct Shards {
    xpcs::ConsensusResult consensus{};
    formats::xpcs::ConsensusRecord record{};
};

/// @param whole  what to compare with, where it has draws
Shards combined_shards(const XpcsRequest& request,
                       const Dataset& dataset,
                       const Fitted& fitted,
                       const Sampled& whole,
                       Job& job,
                       XpcsBridge& bridge) {
    const auto& cmc = dataset.configuration.cmc;
    const auto how = consensus_options(request, cmc);
    auto& team = job.team();
    ShardFarm farm(
        request,
        choose_farm(request.farm,
                    cmc,
                    {team.ranks.size(), team.threads.size(), how.shards, fitted.result.pairs}),
        job);
    Shards shards;
    shards.consensus = xpcs::consensus(dataset.measurement(),
                                       dataset.fitting,
                                       fitted.result,
                                       whole.options,
                                       how,
                                       team,
                                       &bridge,
                                       farm.opener());
    if (shards.consensus.is_complete) {
        farm.clear();
    }
    shards.record = consensus_record(
        shards.consensus, how.combination, whole.has_draws() ? &whole.draws : nullptr);
    shards.record.farm = farm.record();
    tell_of_losses(shards.consensus, shards.record, cmc, job);
    return shards;
}

void add(DigestBuilder& builder, const xpcs::Prior& prior) {
    builder.add(static_cast<std::int64_t>(prior.kind));
    for (const double value : {prior.mean, prior.deviation, prior.lower, prior.upper}) {
        builder.add(value);
    }
}

/// Of all that decides the draws beside the data.
Digest options_digest(const xpcs::FitResult& fit, const xpcs::SampleOptions& options) {
    DigestBuilder builder;
    builder.add(std::string_view(to_string(digest_of(fit))));
    builder.add(std::span<const double>(fit.sigma));
    for (const auto& prior : options.posterior.physical) {
        add(builder, prior);
    }
    add(builder, options.posterior.contrast);
    add(builder, options.posterior.offset);
    add(builder, options.posterior.sigma);
    builder.add(static_cast<std::int64_t>(options.method));
    for (const int size : {options.chains, options.warmup, options.draws, options.max_tree_depth}) {
        builder.add(size);
    }
    builder.add(options.target_acceptance);
    builder.add(options.largest_k);
    builder.add(static_cast<std::int64_t>(options.seed));
    return builder.digest();
}

/// Where a checkpoint is wanted, from there on.
xpcs::SampleResult drawn(const Dataset& dataset,
                         const Fitted& fitted,
                         const xpcs::SampleOptions& options,
                         Job& job,
                         XpcsBridge& bridge) {
    auto checkpoints =
        job.checkpoints(dataset.input_digest, options_digest(fitted.result, options), "round");
    std::unique_ptr<runtime::EngineState> resume_from;
    if (job.request().resume) {
        job.section([&] { resume_from = checkpoints.newest(job.ranks()); });
    }
    bridge.begin();
    bridge.keep_by([&](const auto& state) { checkpoints.keep(job.ranks(), state); });
    auto draws = xpcs::sample(dataset.measurement(),
                              dataset.fitting,
                              fitted.result,
                              options,
                              job.team(),
                              &bridge,
                              resume_from.get());
    bridge.keep_by({});
    bridge.settle();
    return draws;
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
    sampled.draws = drawn(dataset, fitted, sampled.options, job, bridge);
    const bool is_too_long = sampled.draws.predicted_seconds > 0;
    std::optional<Shards> shards;
    if (shards_of(request, dataset.configuration.cmc) > 0 &&
        (sampled.draws.is_complete || is_too_long)) {
        job.section([&] {
            bridge.begin();
            shards = combined_shards(request, dataset, fitted, sampled, job, bridge);
        });
        bridge.settle();
    }
    if (shards && is_too_long) {
        const double predicted = sampled.draws.predicted_seconds;
        sampled.draws = std::move(shards->consensus.draws);
        sampled.draws.predicted_seconds = predicted;
    }
    if (!sampled.has_draws()) {
        return sampled;
    }
    sampled.record = posterior_record(dataset.fitting, sampled.draws);
    sampled.record.data = fitted.record.data;
    if (shards) {
        sampled.record.method = is_too_long ? "shards" : sampled.record.method;
        sampled.record.consensus = std::move(shards->record);
    }
    sampled.record.seconds = watch.seconds();
    return sampled;
}

}  // namespace lockstep::app
