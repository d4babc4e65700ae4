#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/matrices.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npz.hpp"

namespace lockstep::formats::homodyne {
namespace {

void replace_all(std::string& text, std::string_view what, const std::string& with) {
    for (std::size_t k = text.find(what); k != text.npos; k = text.find(what, k + with.size())) {
        text.replace(k, what.size(), with);
    }
}

// Mean and deviation of the wavevectors, as the metadata of a cache hold them.
std::pair<double, double> moments(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return {mean, std::sqrt(squares / count)};
}

/// What homodyne's caches say of themselves.
io::Json metadata_of(const Loaded& loaded, double asked_q) {
    const auto [mean, deviation] = moments(loaded.selection.q);
    const auto angles = static_cast<std::int64_t>(loaded.selection.phi.size());
    io::Json metadata;
    metadata.set("config_wavevector_q", asked_q);
    metadata.set("actual_wavevector_q", mean);
    metadata.set("q_variance", deviation);
    metadata.set("q_count", angles);
    metadata.set("start_frame", std::int64_t{loaded.selection.first} + 1);
    metadata.set("end_frame", std::int64_t{loaded.selection.first} + loaded.selection.count);
    metadata.set("phi_count", angles);
    metadata.set("cache_version", "2.0");
    metadata.set("selective_q_caching", true);
    return metadata;
}

std::vector<double> whole_matrices(const Loaded& loaded) {
    const auto square = at(std::int64_t{whole_frames(loaded)} * whole_frames(loaded));
    const int angles = loaded.measurement.angles();
    std::vector<double> values(at(angles) * square);
    for (int angle = 0; angle < angles; ++angle) {
        fill_whole(loaded, angle, std::span(values).subspan(at(angle) * square, square));
    }
    return values;
}

void write_archive(const std::filesystem::path& path,
                   const Loaded& loaded,
                   const io::Json& metadata,
                   io::NpzStorage storage) {
    const lockstep::xpcs::Measurement& m = loaded.measurement;
    if (m.first_frame != 0 && loaded.dropped.empty()) {
        throw AssertionError("a cache holds the first frame, which this measurement lacks");
    }
    const std::int64_t frames = whole_frames(loaded);
    const std::int64_t angles = m.angles();
    const std::array<std::int64_t, 1> of_angles{angles};
    const std::array<std::int64_t, 1> of_frames{frames};
    std::vector<double> times;
    for (std::int64_t k = 0; k < frames; ++k) {
        times.push_back(static_cast<double>(k) * m.dt);
    }
    io::NpzWriter file(path, storage);
    file.add("wavevector_q_list", loaded.selection.q, of_angles);
    file.add("phi_angles_list", m.phi, of_angles);
    file.add("t1", times, of_frames);
    file.add("t2", times, of_frames);
    file.add("c2_exp", whole_matrices(loaded), std::array<std::int64_t, 3>{angles, frames, frames});
    const std::string text = io::to_text(metadata);
    file.add("cache_metadata_json", std::span(&text, 1), {});
    file.close();
}

void write_list(const std::filesystem::path& file,
                const std::string& head,
                const std::vector<double>& values,
                const char* format) {
    std::string text = "# " + head + "\n";
    for (const double value : values) {
        text += fmt::format(fmt::runtime(format), value);
    }
    io::write_file(file, text);
}

}  // namespace

std::filesystem::path cache_path(const Configuration& configuration) {
    const Data& data = configuration.data;
    const Analyzer& a = configuration.analyzer;
    std::string name = data.cache_template;
    const std::array<std::pair<std::string_view, std::string>, 3> values{{
        {"start_frame", fmt::format("{}", a.start_frame)},
        {"end_frame", fmt::format("{}", a.end_frame)},
        {"wavevector_q", fmt::format("{:.4f}", a.wavevector_q)},
    }};
    for (const auto& [key, value] : values) {
        replace_all(name, fmt::format("${{{}}}", key), value);
        replace_all(name, fmt::format("{{{}}}", key), value);  // of versions before 2
    }
    const auto folder = data.cache_folder.empty() ? data.file.parent_path() : data.cache_folder;
    return folder / name;
}

bool is_cache_wanted(const Configuration& configuration) {
    const Data& data = configuration.data;
    const auto extension = data.file.extension();
    return data.cache_is_used && !data.cache_folder.empty() && extension != ".npz" &&
           extension != ".npy";
}

void write_cache(const Configuration& configuration, const Loaded& loaded) {
    const auto path = cache_path(configuration);
    write_archive(
        path,
        loaded,
        metadata_of(loaded, configuration.analyzer.wavevector_q),
        configuration.data.cache_is_deflated ? io::NpzStorage::deflated : io::NpzStorage::stored);
    const auto folder = path.parent_path();
    write_list(
        folder / "phi_angles_list.txt", "Phi angles (degrees)", loaded.measurement.phi, "{:.6f}\n");
    write_list(
        folder / "wavevector_q_list.txt", "Wavevectors (1/A)", loaded.selection.q, "{:.8e}\n");
}

void write_npz(const std::filesystem::path& file, const Loaded& loaded) {
    auto metadata = metadata_of(loaded, loaded.measurement.q);
    metadata.set("start_frame", 1);  // of this file
    metadata.set("end_frame", whole_frames(loaded));
    metadata.set("dt", loaded.measurement.dt);
    metadata.set("stator_rotor_gap", loaded.measurement.gap);
    write_archive(file, loaded, metadata, io::NpzStorage::deflated);
}

}  // namespace lockstep::formats::homodyne
