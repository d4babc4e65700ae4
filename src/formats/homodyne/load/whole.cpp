#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/matrices.hpp"
#include "lockstep/io/hdf5.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr std::int64_t largest_chunk = 256;  // frames
constexpr int deflation = 4;

int skipped(const Loaded& loaded) {
    return loaded.dropped.empty() ? 0 : 1;
}

double value_of(const Loaded& loaded, int angle, int i, int j) {
    const int low = std::min(i, j);
    const int first = skipped(loaded);
    return low < first
               ? loaded.dropped[at(std::int64_t{angle} * whole_frames(loaded) + std::max(i, j))]
               : value_at(loaded.measurement, angle, i - first, j - first);
}

void clear_lower(std::span<double> full, int frames) {
    for (std::int64_t i = 1; i < frames; ++i) {
        std::fill_n(full.begin() + i * frames, i, 0.0);
    }
}

}  // namespace

int whole_frames(const Loaded& loaded) noexcept {
    return loaded.measurement.frames + skipped(loaded);
}

void fill_whole(const Loaded& loaded, int angle, std::span<double> full) {
    const int frames = whole_frames(loaded);
    for (int i = 0; i < frames; ++i) {
        for (int j = i; j < frames; ++j) {
            const double value = value_of(loaded, angle, i, j);
            full[at(std::int64_t{i} * frames + j)] = value;
            full[at(std::int64_t{j} * frames + i)] = value;
        }
    }
}

void write_aps(const std::filesystem::path& file, const Loaded& loaded) {
    const auto writer = io::create_hdf5(file);
    const auto& phi = loaded.measurement.phi;
    const std::array<std::int64_t, 2> list{1, std::ssize(phi)};
    const std::vector<double> q(phi.size(), loaded.measurement.q);
    writer->write("xpcs/dqlist", std::span<const double>(q), list, {});
    writer->write("xpcs/dphilist", std::span<const double>(phi), list, {});
    const std::int64_t frames = whole_frames(loaded);
    const std::array<std::int64_t, 2> shape{frames, frames};
    const auto chunk = std::min(frames, largest_chunk);
    std::vector<double> half(at(frames * frames));
    for (int angle = 0; angle < loaded.measurement.angles(); ++angle) {
        fill_whole(loaded, angle, half);
        clear_lower(half, static_cast<int>(frames));
        writer->write(fmt::format("exchange/C2T_all/g2_{:05}", angle + 1),
                      std::span<const double>(half),
                      shape,
                      {{chunk, chunk}, deflation});
    }
    writer->close();
}

}  // namespace lockstep::formats::homodyne
