#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "formats/homodyne/load/matrix_source.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr std::int64_t most_frames = 1 << 16;

// The axes of one matrix in the shape of an array.
std::vector<std::int64_t> matrix_shape(std::vector<std::int64_t> shape, std::optional<int> axis) {
    if (axis && *axis < static_cast<int>(shape.size())) {
        shape.erase(shape.begin() + *axis);
    }
    return shape;
}

}  // namespace

void refuse(const std::string& file, const std::string& what) {
    throw InputError(fmt::format("{}: {}", file, what));
}

std::optional<std::int64_t> number_in(std::string_view name) {
    const std::size_t before = name.find_last_not_of("0123456789");
    const std::string_view digits = name.substr(before == name.npos ? 0 : before + 1);
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return fault == std::errc() && !digits.empty() ? std::optional(number) : std::nullopt;
}

std::optional<double> value_in(const io::Hdf5Reader& file, std::string_view dataset) {
    if (file.kind(dataset) != io::Hdf5Kind::numbers) {
        return std::nullopt;
    }
    const std::vector<double> values = file.numbers(dataset, 1 << 20);
    return values.empty() ? std::nullopt : std::optional(values.front());
}

int Hdf5Matrices::frames(const std::string& name) const {
    int frames = 0;
    for (const MatrixLabel& label : labels) {
        const std::string place = matrix_axis ? dataset : dataset + "/" + label.name;
        const auto shape = matrix_shape(file->shape(place), matrix_axis);
        if (shape.size() != 2 || shape[0] != shape[1]) {
            refuse(name,
                   fmt::format("/{} has the shape ({}): must be square, frames by frames",
                               place,
                               fmt::join(shape, ", ")));
        }
        if (shape[0] < 2 || shape[0] > most_frames) {
            refuse(name,
                   fmt::format("/{} has {} frames: must be 2 to {}", place, shape[0], most_frames));
        }
        if (frames != 0 && frames != shape[0]) {
            refuse(name,
                   fmt::format(
                       "/{} has {} frames, the matrices before it {}", place, shape[0], frames));
        }
        frames = static_cast<int>(shape[0]);
        if (matrix_axis) {
            break;
        }
    }
    return frames;
}

void Hdf5Matrices::read(int k, int first, int count, std::span<double> to) const {
    if (!matrix_axis) {
        file->read(dataset + "/" + labels[at(k)].name, {{first, first}, {count, count}}, to);
        return;
    }
    io::Hdf5Slab slab{{first, first}, {count, count}};
    slab.start.insert(slab.start.begin() + *matrix_axis, k);
    slab.count.insert(slab.count.begin() + *matrix_axis, 1);
    const auto rows = file->shape(dataset)[*matrix_axis == 0 ? 1 : 0];
    if (is_upside_down) {
        slab.start[*matrix_axis == 0 ? 1 : 0] = rows - first - count;
    }
    file->read(dataset, slab, to);
    for (int row = 0; is_upside_down && row < count / 2; ++row) {
        std::swap_ranges(to.begin() + std::ptrdiff_t{row} * count,
                         to.begin() + std::ptrdiff_t{row + 1} * count,
                         to.begin() + std::ptrdiff_t{count - 1 - row} * count);
    }
}

std::vector<MatrixLabel> plain_labels(const Configuration& configuration, std::int64_t count) {
    const PlainData& plain = configuration.data.plain;
    const std::string file = configuration.data.file.string();
    const auto n = at(count);
    if (plain.phi.size() > 1 ? plain.phi.size() != n : n > 1) {
        refuse(file,
               fmt::format("holds {} matrices, but lockstep.data.phi has {} angles: name one a "
                           "matrix",
                           n,
                           plain.phi.size()));
    }
    if (plain.q.size() > 1 && plain.q.size() != n) {
        refuse(file,
               fmt::format("holds {} matrices, but lockstep.data.q has {} values: name one for all "
                           "or one a matrix",
                           n,
                           plain.q.size()));
    }
    std::vector<MatrixLabel> labels(n);
    for (std::size_t k = 0; k < n; ++k) {
        labels[k].name = fmt::format("matrix {}", k + 1);
        labels[k].q = plain.q.empty()       ? configuration.analyzer.wavevector_q
                      : plain.q.size() == 1 ? plain.q.front()
                                            : plain.q[k];
        labels[k].phi = plain.phi.empty() ? 0 : plain.phi[k];
    }
    return labels;
}

}  // namespace lockstep::formats::homodyne
