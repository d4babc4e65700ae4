#include "xpcs/shards/bytes.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::xpcs {
namespace {

void require(bool holds, std::string_view what) {
    if (!holds) {
        throw InputError(fmt::format("work on shards: {} is damaged", what));
    }
}

void add_text(ByteWriter& writer, const std::string& text) {
    writer.add_array(std::span<const char>(text));
}

std::string read_text(ByteReader& reader) {
    const auto characters = reader.read_array<char>();
    return {characters.begin(), characters.end()};
}

void add_texts(ByteWriter& writer, const std::vector<std::string>& texts) {
    writer.add(static_cast<std::uint64_t>(texts.size()));
    for (const auto& text : texts) {
        add_text(writer, text);
    }
}

std::vector<std::string> read_texts(ByteReader& reader) {
    std::vector<std::string> texts;
    for (auto left = reader.read<std::uint64_t>(); left > 0; --left) {
        texts.push_back(read_text(reader));
    }
    return texts;
}

void add(ByteWriter& writer, const Prior& prior) {
    writer.add(prior.kind);
    for (const double value : {prior.mean, prior.deviation, prior.lower, prior.upper}) {
        writer.add(value);
    }
}

Prior read_prior(ByteReader& reader) {
    Prior prior;
    prior.kind = reader.read<Prior::Kind>();
    for (double* value : {&prior.mean, &prior.deviation, &prior.lower, &prior.upper}) {
        *value = reader.read<double>();
    }
    return prior;
}

void add(ByteWriter& writer, const Measurement& measurement) {
    for (const double value : {measurement.q, measurement.gap, measurement.dt}) {
        writer.add(value);
    }
    writer.add(measurement.frames);
    writer.add(measurement.first_frame);
    writer.add_array(measurement.phi);
}

void read(ByteReader& reader, Measurement& measurement) {
    for (double* value : {&measurement.q, &measurement.gap, &measurement.dt}) {
        *value = reader.read<double>();
    }
    measurement.frames = reader.read<int>();
    measurement.first_frame = reader.read<int>();
    measurement.phi = reader.read_array<double>();
}

void add(ByteWriter& writer, const FitOptions& options) {
    writer.add(options.motion);
    writer.add(options.shear);
    writer.add(options.scale.mode);
    writer.add(options.scale.harmonics);
    writer.add_array(options.scale.given);
    writer.add(options.scale.lower);
    writer.add(options.scale.upper);
    add_texts(writer, options.held);
}

void read(ByteReader& reader, FitOptions& options) {
    options.motion = reader.read<Motion>();
    options.shear = reader.read<ShearTerm>();
    options.scale.mode = reader.read<ScaleMode>();
    options.scale.harmonics = reader.read<int>();
    options.scale.given = reader.read_array<Scale>();
    options.scale.lower = reader.read<Scale>();
    options.scale.upper = reader.read<Scale>();
    options.held = read_texts(reader);
}

void add(ByteWriter& writer, const FitResult& fit) {
    writer.add_array(fit.physical);
    writer.add_array(fit.fitted);
    writer.add_array(fit.scales);
    add_texts(writer, fit.names);
    writer.add_array(fit.values);
    writer.add(fit.chi_squared);
    writer.add(fit.pairs);
    writer.add_array(fit.sigma);
    writer.add_array(fit.sums_of_squares);
    writer.add_array(fit.angle_pairs);
    writer.add_array(fit.minimum.bounds);
    writer.add_array(fit.determinacy.inverse);
    add_text(writer, fit.covariance.remark);
}

void read(ByteReader& reader, FitResult& fit) {
    fit.physical = reader.read_array<double>();
    fit.fitted = reader.read_array<int>();
    fit.scales = reader.read_array<Scale>();
    fit.names = read_texts(reader);
    fit.values = reader.read_array<double>();
    fit.chi_squared = reader.read<double>();
    fit.pairs = reader.read<std::int64_t>();
    fit.sigma = reader.read_array<double>();
    fit.sums_of_squares = reader.read_array<double>();
    fit.angle_pairs = reader.read_array<std::int64_t>();
    fit.minimum.bounds = reader.read_array<nlsq::AtBound>();
    fit.determinacy.inverse = reader.read_array<double>();
    fit.covariance.remark = read_text(reader);
}

void add(ByteWriter& writer, const SampleOptions& sampling) {
    writer.add(static_cast<std::uint64_t>(sampling.posterior.physical.size()));
    for (const auto& prior : sampling.posterior.physical) {
        add(writer, prior);
    }
    add(writer, sampling.posterior.contrast);
    add(writer, sampling.posterior.offset);
    add(writer, sampling.posterior.sigma);
    writer.add(sampling.posterior.times_counted);
    for (const int value :
         {sampling.chains, sampling.warmup, sampling.draws, sampling.max_tree_depth}) {
        writer.add(value);
    }
    writer.add(sampling.target_acceptance);
    writer.add(sampling.seed);
}

void read(ByteReader& reader, SampleOptions& sampling) {
    for (auto left = reader.read<std::uint64_t>(); left > 0; --left) {
        sampling.posterior.physical.push_back(read_prior(reader));
    }
    sampling.posterior.contrast = read_prior(reader);
    sampling.posterior.offset = read_prior(reader);
    sampling.posterior.sigma = read_prior(reader);
    sampling.posterior.times_counted = reader.read<double>();
    for (int* value :
         {&sampling.chains, &sampling.warmup, &sampling.draws, &sampling.max_tree_depth}) {
        *value = reader.read<int>();
    }
    sampling.target_acceptance = reader.read<double>();
    sampling.seed = reader.read<std::uint64_t>();
}

}  // namespace

std::vector<std::byte> pack(const ShardSettings& settings) {
    ByteWriter writer;
    add(writer, settings.measurement);
    add(writer, settings.options);
    add(writer, settings.fit);
    add(writer, settings.sampling);
    writer.add(settings.plan.sharding);
    writer.add(settings.plan.is_tempered);
    writer.add_array(settings.pairs);
    return writer.take();
}

ShardSettings unpack_settings(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    ShardSettings settings;
    read(reader, settings.measurement);
    read(reader, settings.options);
    read(reader, settings.fit);
    read(reader, settings.sampling);
    settings.plan.sharding = reader.read<Sharding>();
    settings.plan.is_tempered = reader.read<bool>();
    settings.pairs = reader.read_array<std::int64_t>();
    settings.plan.shards = static_cast<int>(settings.pairs.size());
    require(reader.at_end() && !settings.pairs.empty(), "what it is to do");
    return settings;
}

std::vector<std::byte> pack(const PairSelection& chosen) {
    ByteWriter writer;
    writer.add_array(chosen.rows);
    writer.add_array(chosen.columns);
    for (const auto& values : chosen.c2) {
        writer.add_array(values);
    }
    return writer.take();
}

PairSelection unpack_selection(std::span<const std::byte> bytes, int frames, int angles) {
    ByteReader reader(bytes);
    PairSelection chosen;
    chosen.rows = reader.read_array<std::int32_t>();
    chosen.columns = reader.read_array<std::int32_t>();
    require(chosen.columns.size() == chosen.rows.size(), "a shard");
    for (std::size_t k = 0; k < chosen.rows.size(); ++k) {
        require(
            chosen.rows[k] >= 0 && chosen.rows[k] < chosen.columns[k] && chosen.columns[k] < frames,
            "a shard");
    }
    for (int angle = 0; angle < angles; ++angle) {
        chosen.c2.push_back(reader.read_array<double>());
        require(chosen.c2.back().size() == chosen.rows.size(), "a shard");
    }
    require(reader.at_end(), "a shard");
    return chosen;
}

std::vector<std::byte> pack(const TaskDraws& draws) {
    ByteWriter writer;
    writer.add(draws.k);
    writer.add(draws.divergences);
    writer.add(draws.acceptance);
    writer.add_array(draws.values);
    return writer.take();
}

TaskDraws unpack_draws(std::span<const std::byte> bytes, std::int64_t values) {
    ByteReader reader(bytes);
    TaskDraws draws;
    draws.k = reader.read<double>();
    draws.divergences = reader.read<std::int64_t>();
    draws.acceptance = reader.read<double>();
    draws.values = reader.read_array<double>();
    require(reader.at_end() && std::ssize(draws.values) == values, "a result");
    return draws;
}

std::vector<std::byte> pack(const TaskPlace& place) {
    ByteWriter writer;
    writer.add(place);
    return writer.take();
}

TaskPlace unpack_place(std::span<const std::byte> bytes, int shards, int chains) {
    ByteReader reader(bytes);
    const auto place = reader.read<TaskPlace>();
    require(reader.at_end() && place.shard >= 0 && place.shard < shards && place.chain >= 0 &&
                place.chain < chains,
            "a task");
    return place;
}

}  // namespace lockstep::xpcs
