#include "app/xpcs/stages/dataset.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/xpcs/settings.hpp"
#include "app/xpcs/stages/shared_matrices.hpp"

namespace lockstep::app {
namespace {

Digest digest_of(const xpcs::Measurement& measurement) {
    DigestBuilder builder;
    builder.add(measurement.q);
    builder.add(measurement.gap);
    builder.add(measurement.dt);
    builder.add(measurement.frames);
    builder.add(measurement.first_frame);
    builder.add(measurement.phi);
    builder.add(std::span<const double>(measurement.c2));
    builder.add(measurement.diagonal);
    return builder.digest();
}

Digest input_digest_of(std::string_view configuration, const Digest& measurement) {
    DigestBuilder builder;
    builder.add(configuration);
    for (const auto word : measurement) {
        builder.add(word);
    }
    return builder.digest();
}

void add(std::vector<std::string>& notes, const std::vector<formats::homodyne::Note>& more) {
    for (const auto& note : more) {
        notes.push_back(fmt::format("{}: {}", note.field, note.text));
    }
}

std::vector<std::string> notes_of(const Dataset& dataset, bool is_verbose) {
    std::vector<std::string> notes;
    add(notes, dataset.configuration.notes);
    if (is_verbose) {
        add(notes, dataset.configuration.ignored);
    }
    const auto& read = dataset.loaded.selection.notes;
    notes.insert(notes.end(), read.begin(), read.end());
    const auto doubts = formats::homodyne::unit_doubts(dataset.configuration);
    notes.insert(notes.end(), doubts.begin(), doubts.end());
    return notes;
}

// Of the usable memory: the rest is for a matrix while it is read, and for the sums.
constexpr double share_of_matrices = 0.75;
constexpr int measurements_of_batch = 3;  // in memory at once

Dataset load(const XpcsRequest& asked, runtime::Team& team, int measurements) {
    XpcsRequest request;
    formats::homodyne::Configuration configuration;
    comm::agree(team.ranks, [&] {
        request = with_start_of_result(asked);
        configuration = configured(request);
    });
    auto shared = load_shared(configuration, team, storage_of(request, measurements));
    auto dataset = dataset_of(request,
                              io::read_file(request.run.input, io::largest_text),
                              std::move(configuration),
                              std::move(shared.loaded));
    dataset.borrowed_bytes = shared.borrowed_bytes;
    return dataset;
}

}  // namespace

Dataset dataset_of(const XpcsRequest& request,
                   const std::string& configuration_text,
                   formats::homodyne::Configuration configuration,
                   formats::homodyne::Loaded loaded) {
    Dataset dataset{std::move(configuration), std::move(loaded)};
    dataset.measurement_digest = digest_of(dataset.measurement());
    dataset.input_digest = input_digest_of(configuration_text, dataset.measurement_digest);
    dataset.notes = notes_of(dataset, request.is_verbose);
    dataset.fitting = fit_options(request, dataset.configuration, dataset.loaded, dataset.notes);
    return dataset;
}

XpcsRequest with_start_of_result(XpcsRequest request) {
    if (!request.nlsq_result.empty()) {
        for (const auto& each : formats::homodyne::read_parameters(request.nlsq_result)) {
            request.start.emplace_back(each.name, each.value);  // the first of a name counts
        }
        request.nlsq_result.clear();
    }
    return request;
}

MatrixStorage storage_of(const XpcsRequest& request, int measurements) {
    if (!request.scratch.empty()) {
        return {request.scratch, 0};
    }
    const auto usable = static_cast<double>(runtime::usable_memory());
    return {request.run.output,
            usable > 0 ? static_cast<std::int64_t>(share_of_matrices * usable / measurements) : -1};
}

Dataset load_dataset(const XpcsRequest& request) {
    const auto alone = comm::make_local();
    runtime::ThreadTeam thread(1);
    runtime::Team team{*alone, thread};
    return load(request, team, measurements_of_batch);
}

Dataset load_shared_dataset(const XpcsRequest& request, runtime::Team& team) {
    return load(request, team, 1);
}

}  // namespace lockstep::app
