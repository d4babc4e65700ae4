#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/data.hpp"
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

std::string metadata_text(const Configuration& c, const Loaded& loaded) {
    const auto [mean, deviation] = moments(loaded.selection.q);
    const auto angles = static_cast<std::int64_t>(loaded.selection.phi.size());
    io::Json metadata;
    metadata.set("config_wavevector_q", c.analyzer.wavevector_q);
    metadata.set("actual_wavevector_q", mean);
    metadata.set("q_variance", deviation);
    metadata.set("q_count", angles);
    metadata.set("start_frame", std::int64_t{loaded.selection.first} + 1);
    metadata.set("end_frame", std::int64_t{loaded.selection.first} + loaded.selection.count);
    metadata.set("phi_count", angles);
    metadata.set("cache_version", "2.0");
    metadata.set("selective_q_caching", true);
    return io::to_text(metadata);
}

/// Matrices with the first frame.
class WholeMatrices {
public:
    explicit WholeMatrices(const Loaded& loaded)
        : m_(loaded.measurement),
          dropped_(loaded.dropped),
          skipped_(loaded.dropped.empty() ? 0 : 1) {}

    [[nodiscard]] int frames() const noexcept { return m_.frames + skipped_; }

    [[nodiscard]] double value(int angle, int i, int j) const {
        const int low = std::min(i, j);
        return low < skipped_ ? dropped_[at(std::int64_t{angle} * frames() + std::max(i, j))]
                              : value_at(m_, angle, i - skipped_, j - skipped_);
    }

    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> values;
        values.reserve(at(std::int64_t{m_.angles()} * frames() * frames()));
        for (int angle = 0; angle < m_.angles(); ++angle) {
            for (int i = 0; i < frames(); ++i) {
                for (int j = 0; j < frames(); ++j) {
                    values.push_back(value(angle, i, j));
                }
            }
        }
        return values;
    }

private:
    const lockstep::xpcs::Measurement& m_;
    const std::vector<double>& dropped_;
    int skipped_;
};

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
    const lockstep::xpcs::Measurement& m = loaded.measurement;
    const WholeMatrices whole(loaded);
    if (m.first_frame != 0 && loaded.dropped.empty()) {
        throw AssertionError("a cache holds the first frame, which this measurement lacks");
    }
    const std::int64_t frames = whole.frames();
    const std::int64_t angles = m.angles();
    const std::array<std::int64_t, 1> of_angles{angles};
    const std::array<std::int64_t, 1> of_frames{frames};
    std::vector<double> times;
    for (int k = 0; k < whole.frames(); ++k) {
        times.push_back(k * m.dt);
    }
    io::NpzWriter file(
        cache_path(configuration),
        configuration.data.cache_is_deflated ? io::NpzStorage::deflated : io::NpzStorage::stored);
    file.add("wavevector_q_list", loaded.selection.q, of_angles);
    file.add("phi_angles_list", m.phi, of_angles);
    file.add("t1", times, of_frames);
    file.add("t2", times, of_frames);
    file.add("c2_exp", whole.values(), std::array<std::int64_t, 3>{angles, frames, frames});
    const std::string metadata = metadata_text(configuration, loaded);
    file.add("cache_metadata_json", std::span(&metadata, 1), {});
    file.close();
    const auto folder = cache_path(configuration).parent_path();
    write_list(folder / "phi_angles_list.txt", "Phi angles (degrees)", m.phi, "{:.6f}\n");
    write_list(
        folder / "wavevector_q_list.txt", "Wavevectors (1/A)", loaded.selection.q, "{:.8e}\n");
}

}  // namespace lockstep::formats::homodyne
