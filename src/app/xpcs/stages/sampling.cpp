#include "app/xpcs/stages/sampling.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/stopwatch.hpp"

#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"
#include "app/xpcs/shards/combined.hpp"

namespace lockstep::app {
namespace {

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
    if (job.has_output()) {
        bridge.keep_by([&](const auto& state) { checkpoints.keep(job.ranks(), state); });
    }
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
    std::optional<CombinedShards> shards;
    if (wants_shards(request, dataset, fitted) && (sampled.draws.is_complete || is_too_long)) {
        job.section([&] {
            bridge.begin();
            shards = combined_shards(request,
                                     dataset,
                                     fitted,
                                     sampled.options,
                                     sampled.has_draws() ? &sampled.draws : nullptr,
                                     job,
                                     bridge);
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
