#include "xpcs/shards/work.hpp"

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

Measurement without_values(const Measurement& measurement) {
    Measurement bare;
    bare.q = measurement.q;
    bare.gap = measurement.gap;
    bare.dt = measurement.dt;
    bare.frames = measurement.frames;
    bare.first_frame = measurement.first_frame;
    bare.phi = measurement.phi;
    return bare;
}

PairDeal checked_deal(const Measurement& measurement, int shards, std::uint64_t seed) {
    const auto pairs = pair_count(measurement.frames);
    if (shards < 1 || shards > pairs) {
        throw InputError(
            fmt::format("shards are {}: must be from 1 to the {} pairs of frames", shards, pairs));
    }
    return {measurement.frames, shards, seed};
}

}  // namespace

ShardWork::State::State(ShardSettings given, Select select_shard)
    : settings(std::move(given)),
      select(std::move(select_shard)),
      frame(settings.measurement, settings.options, settings.fit, settings.sampling),
      coordinates(frame.coordinates(shards())),
      covariance(frame.covariance(shards())) {}

TaskDraws ShardWork::State::by_importance(int shard, const runtime::TaskContext& context) const {
    const auto& sampling = settings.sampling;
    const auto chosen = select(shard);
    const int draws = sampling.chains * sampling.draws;
    runtime::ThreadTeam alone(1);
    try {
        const auto points =
            cmc::importance_sample([&] { return frame.make(chosen, 1.0 / shards()); },
                                   coordinates,
                                   frame.proposal(),
                                   sampling.seed,
                                   stream(shard),
                                   alone,
                                   [&] { return context.should_stop(); });
        return {cmc::resample(points, draws, sampling.seed, stream(shard)), points.k, 0};
    } catch (const ModelError&) {
        if (context.should_stop()) {
            throw runtime::TaskStopped();
        }
        throw;
    }
}

TaskDraws ShardWork::State::by_chain(TaskPlace place, const runtime::TaskContext& context) const {
    const auto& sampling = settings.sampling;
    const auto chosen = select(place.shard);
    const auto make = [&] { return frame.make(chosen, 1.0 / shards()); };
    const auto starts = cmc::dispersed_starts(make,
                                              coordinates,
                                              sampling.chains,
                                              frame.start_dispersion,
                                              sampling.seed,
                                              stream(place.shard));
    const auto density = make();
    cmc::NutsChain chain(
        *density,
        starts[at(place.chain)],
        frame.nuts_options(covariance),
        {sampling.seed, stream(place.shard), static_cast<std::uint32_t>(place.chain)});
    if (!chain.advance(sampling.warmup + sampling.draws, [&] { return context.should_stop(); })) {
        throw runtime::TaskStopped();
    }
    auto draws = chain.take_draws();
    const auto divergences = draws.divergences();
    return {std::move(draws.values), 0, divergences};
}

ShardWork::ShardWork(const Measurement& measurement,
                     const FitOptions& options,
                     const FitResult& fit,
                     const SampleOptions& sampling,
                     int shards) {
    sampling.validate(fit);
    auto deal = checked_deal(measurement, shards, sampling.seed);
    ShardSettings settings{without_values(measurement), options, fit, sampling, {}};
    for (int shard = 0; shard < shards; ++shard) {
        settings.pairs.push_back(deal.pairs(shard) * measurement.angles());
    }
    state_ = std::make_shared<const State>(std::move(settings),
                                           [&measurement, deal = std::move(deal)](int shard) {
                                               return deal.select(measurement, shard);
                                           });
}

ShardWork::ShardWork(std::span<const std::byte> settings, ShardBytes shards) {
    auto unpacked = unpack_settings(settings);
    const int frames = unpacked.measurement.frames;
    const int angles = unpacked.measurement.angles();
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
