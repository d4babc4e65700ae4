#include "app/xpcs/stages/dataset.hpp"

#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/io/file.hpp"

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

Digest input_digest_of(const std::filesystem::path& configuration, const Digest& measurement) {
    DigestBuilder builder;
    builder.add(std::string_view(io::read_file(configuration, io::largest_text)));
    for (const auto word : measurement) {
        builder.add(word);
    }
    return builder.digest();
}

std::vector<std::string> notes_of(const Dataset& dataset) {
    std::vector<std::string> notes;
    for (const auto& note : dataset.configuration.notes) {
        notes.push_back(fmt::format("{}: {}", note.field, note.text));
    }
    const auto& read = dataset.loaded.selection.notes;
    notes.insert(notes.end(), read.begin(), read.end());
    for (const auto& more : {formats::homodyne::unit_doubts(dataset.configuration),
                             wishes_not_met(dataset.configuration)}) {
        notes.insert(notes.end(), more.begin(), more.end());
    }
    return notes;
}

Dataset complete(const XpcsRequest& request, Dataset dataset) {
    dataset.measurement_digest = digest_of(dataset.measurement());
    dataset.input_digest = input_digest_of(request.run.input, dataset.measurement_digest);
    dataset.notes = notes_of(dataset);
    dataset.fitting =
        fit_options(request, dataset.configuration, dataset.measurement(), dataset.notes);
    return dataset;
}

}  // namespace

Dataset load_dataset(const XpcsRequest& request) {
    Dataset dataset;
    dataset.configuration = configured(request);
    dataset.loaded = formats::homodyne::load(dataset.configuration);
    return complete(request, std::move(dataset));
}

Dataset load_shared_dataset(const XpcsRequest& request, runtime::Team& team) {
    Dataset dataset;
    comm::agree(team.ranks, [&] { dataset.configuration = configured(request); });
    auto shared = load_shared(dataset.configuration, team);
    dataset.loaded = std::move(shared.loaded);
    dataset.borrowed_bytes = shared.borrowed_bytes;
    return complete(request, std::move(dataset));
}

}  // namespace lockstep::app
