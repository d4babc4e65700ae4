#include "xpcs/shards/work.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/starts.hpp"

#include "xpcs/shards/deal.hpp"

namespace lockstep::xpcs {
namespace {

using Bytes = std::vector<std::byte>;
using Input = std::span<const std::byte>;

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::shared_ptr<const ShardDeal> deal_shards(const Measurement& measurement,
                                             const FitOptions& options,
                                             const ShardPlan& plan,
                                             std::uint64_t seed) {
    const auto objection = objection_to(plan.sharding, options, measurement.angles());
    if (!objection.empty()) {
        throw InputError(fmt::format("shards of single angles: {}", objection));
    }
    const int fewest = plan.sharding == Sharding::per_angle ? measurement.angles() : 1;
    const auto pairs = pair_count(measurement.frames);
    if (plan.shards < fewest || plan.shards > pairs * fewest) {
        throw InputError(fmt::format("shards are {}: must be from {} to the {} pairs of frames",
                                     plan.shards,
                                     fewest,
                                     pairs * fewest));
    }
    return std::make_shared<const ShardDeal>(measurement.frames, measurement.angles(), plan, seed);
}

std::string objection_to(Sharding sharding, const FitOptions& options, int angles) {
    if (sharding != Sharding::per_angle) {
        return "";
    }
    if (angles == 1) {
        return "there is one angle";
    }
    if (options.motion == Motion::laminar_flow) {
        return "one angle does not determine a flow and its direction";
    }
    if (options.scale.mode == ScaleMode::averaged || options.scale.mode == ScaleMode::fourier) {
        return "angles share contrast and offset, which shards of one angle cannot";
    }
    return "";
}

ShardWork::State::State(ShardSettings given, Select select_shard)
    : settings(std::move(given)),
      select(std::move(select_shard)),
      angles_(settings.measurement.angles(), shards(), settings.plan.sharding) {
    for (int part = 0; part < angles_.parts(); ++part) {
        parts_.push_back(std::make_unique<const ShardPart>(settings, angles_, part));
    }
}

TaskDraws ShardWork::State::by_importance(int shard, const runtime::TaskContext& context) const {
    const auto& sampling = settings.sampling;
    const auto& part = part_of(shard);
    const auto chosen = select(shard);
    const int draws = sampling.chains * sampling.draws;
    runtime::ThreadTeam alone(1);
    try {
        const auto points =
            cmc::importance_sample([&] { return part.frame.make(chosen, part.prior_power); },
                                   part.coordinates,
                                   part.frame.proposal(),
                                   sampling.seed,
                                   stream(shard),
                                   alone,
                                   [&] { return context.should_stop(); });
        return {cmc::resample(points, draws, sampling.seed, stream(shard)), points.k, 0, 0};
    } catch (const ModelError&) {
        if (context.should_stop()) {
            throw runtime::TaskStopped();
        }
        throw;
    }
}

TaskDraws ShardWork::State::by_chain(TaskPlace place, const runtime::TaskContext& context) const {
    const auto& sampling = settings.sampling;
    const auto& part = part_of(place.shard);
    const auto chosen = select(place.shard);
    const auto make = [&] { return part.frame.make(chosen, part.prior_power); };
    const auto starts = cmc::dispersed_starts(make,
                                              part.coordinates,
                                              sampling.chains,
                                              PosteriorFrame::start_dispersion,
                                              sampling.seed,
                                              stream(place.shard));
    const auto density = make();
    cmc::NutsChain chain(
        *density,
        starts[at(place.chain)],
        part.frame.nuts_options(part.covariance),
        {sampling.seed, stream(place.shard), static_cast<std::uint32_t>(place.chain)});
    if (!chain.advance(sampling.warmup + sampling.draws, [&] { return context.should_stop(); })) {
        throw runtime::TaskStopped();
    }
    auto draws = chain.take_draws();
    const auto divergences = draws.divergences();
    const double acceptance = mean_of(draws.acceptance);
    return {std::move(draws.values), 0, divergences, acceptance};
}

ShardWork::ShardWork(const Measurement& measurement,
                     const FitOptions& options,
                     const FitResult& fit,
                     const SampleOptions& sampling,
                     const ShardPlan& plan,
                     std::shared_ptr<const ShardDeal> dealt) {
    sampling.validate(fit);
    if (!dealt || !dealt->is_of(measurement.frames, measurement.angles(), plan, sampling.seed)) {
        dealt = deal_shards(measurement, options, plan, sampling.seed);
    }
    ShardSettings settings{measurement.without_values(), options, fit, sampling, plan, {}};
    for (int shard = 0; shard < plan.shards; ++shard) {
        settings.pairs.push_back(dealt->pairs(shard));
    }
    state_ = std::make_shared<const State>(std::move(settings),
                                           [&measurement, dealt = std::move(dealt)](int shard) {
                                               return dealt->select(measurement, shard);
                                           });
}

ShardWork::ShardWork(std::span<const std::byte> settings, ShardBytes shards) {
    auto unpacked = unpack_settings(settings);
    const int frames = unpacked.measurement.frames;
    const int angles =
        AngleDeal(unpacked.measurement.angles(), unpacked.plan.shards, unpacked.plan.sharding)
            .angles_of_shard();
    state_ = std::make_shared<const State>(
        std::move(unpacked), [frames, angles, shards = std::move(shards)](int shard) {
            return unpack_selection(shards(shard), frames, angles);
        });
}

int ShardWork::shards() const {
    return state_->shards();
}

std::int64_t ShardWork::most_tasks() const {
    return std::int64_t{shards()} * state_->settings.sampling.chains;
}

std::int64_t ShardWork::pairs(int shard) const {
    return state_->settings.pairs[at(shard)];
}

Bytes ShardWork::settings() const {
    return pack(state_->settings);
}

Bytes ShardWork::shard_bytes(int shard) const {
    return pack(state_->select(shard));
}

int ShardWork::shard_of(std::span<const std::byte> input) const {
    return unpack_place(input, shards(), state_->settings.sampling.chains).shard;
}

runtime::TaskFunctions ShardWork::functions() const {
    const auto place_of = [](const State& state, Input input) {
        return unpack_place(input, state.shards(), state.settings.sampling.chains);
    };
    runtime::TaskFunctions functions;
    functions[std::string(by_importance)] = [state = state_, place_of](
                                                Input input, const runtime::TaskContext& context) {
        return pack(state->by_importance(place_of(*state, input).shard, context));
    };
    functions[std::string(by_chain)] = [state = state_, place_of](
                                           Input input, const runtime::TaskContext& context) {
        return pack(state->by_chain(place_of(*state, input), context));
    };
    return functions;
}

}  // namespace lockstep::xpcs
