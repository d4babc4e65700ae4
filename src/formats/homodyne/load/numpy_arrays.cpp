#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npy.hpp"
#include "lockstep/io/npz.hpp"

#include "formats/homodyne/load/matrix_source.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr double same_q = 1e-8;  // Å⁻¹, as homodyne compares

std::vector<double> reals_of(io::NpyArray array, const std::string& name) {
    if (auto* const reals = std::get_if<std::vector<double>>(&array.values)) {
        return std::move(*reals);
    }
    if (const auto* const singles = std::get_if<std::vector<float>>(&array.values)) {
        return {singles->begin(), singles->end()};
    }
    if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&array.values)) {
        return {integers->begin(), integers->end()};
    }
    refuse(name, "holds no numbers that can be matrices: must be float64 or float32");
}

// Matrices that are in memory, with the axis that counts them first or last.
class MemoryMatrices : public MatrixSource {
public:
    MemoryMatrices(std::string_view layout,
                   const std::string& name,
                   io::NpyArray array,
                   std::vector<MatrixLabel> labels,
                   PlainData::Axis axis)
        : layout_(layout), labels_(std::move(labels)) {
        std::vector<std::int64_t> shape = array.shape;
        is_last_ = axis == PlainData::Axis::last && shape.size() == 3;
        if (shape.size() == 3) {
            shape.erase(is_last_ ? shape.end() - 1 : shape.begin());
        }
        if (shape.size() != 2 || shape[0] != shape[1] || shape[0] < 2) {
            refuse(name,
                   fmt::format("has the shape ({}): must be frames by frames, of 2 frames or more",
                               fmt::join(array.shape, ", ")));
        }
        frames_ = static_cast<int>(shape[0]);
        values_ = reals_of(std::move(array), name);
    }

    [[nodiscard]] std::string_view layout() const override { return layout_; }
    [[nodiscard]] const std::vector<MatrixLabel>& labels() const override { return labels_; }
    [[nodiscard]] int frames() const override { return frames_; }
    void read(int k, int first, int count, std::span<double> to) const override {
        const std::int64_t step = is_last_ ? std::ssize(labels_) : 1;
        const std::int64_t begin = is_last_ ? k : std::int64_t{k} * frames_ * std::int64_t{frames_};
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::int64_t j = 0; j < count; ++j) {
                to[at(i * count + j)] =
                    values_[at(begin + ((first + i) * frames_ + first + j) * step)];
            }
        }
    }
    [[nodiscard]] bool is_selected() const override { return is_cache_; }
    [[nodiscard]] std::optional<double> step() const override { return step_; }
    [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

    void set_cache(double step) {
        is_cache_ = true;
        step_ = step;
    }
    void note(std::string text) { notes_.push_back(std::move(text)); }

private:
    std::string_view layout_;
    std::vector<MatrixLabel> labels_;
    bool is_last_ = false;
    bool is_cache_ = false;
    int frames_ = 0;
    std::vector<double> values_;
    std::optional<double> step_;
    std::vector<std::string> notes_;
};

std::int64_t matrices_in(const std::vector<std::int64_t>& shape, PlainData::Axis axis) {
    if (shape.size() != 3) {
        return 1;
    }
    return axis == PlainData::Axis::first ? shape.front() : shape.back();
}

std::vector<double> list_in(const io::NpzFile& file,
                            const std::string& array,
                            std::size_t size,
                            const std::string& name) {
    io::NpyArray found = file.read(array);
    if (found.shape.size() != 1) {
        refuse(name,
               fmt::format("array {} has the shape ({}): must be a list",
                           array,
                           fmt::join(found.shape, ", ")));
    }
    auto values = reals_of(std::move(found), name);
    if (size != 0 && values.size() != size) {
        refuse(name,
               fmt::format("array {} has {} values instead of {}", array, values.size(), size));
    }
    return values;
}

io::Json metadata_of(const io::NpzFile& file, const std::string& name) {
    if (!file.has("cache_metadata_json")) {
        return {};
    }
    const io::NpyArray array = file.read("cache_metadata_json");
    const auto* const texts = std::get_if<std::vector<std::string>>(&array.values);
    if (texts == nullptr || texts->size() != 1) {
        refuse(name, "array cache_metadata_json is no single text");
    }
    return io::parse_json(texts->front(), name + ": cache_metadata_json");
}

// A cache of other frames or another wavevector is not what the configuration asks for.
void check_metadata(const io::Json& metadata, const Configuration& c, const std::string& name) {
    const auto number = [&](const char* key) {
        const io::Json* const value = metadata.find(key);
        return value == nullptr ? std::nullopt : value->if_number();
    };
    const auto refuse_other = [&](const std::string& what) {
        refuse(name,
               fmt::format("this cache is of {}: remove it, or name the file that it was made from "
                           "in experimental_data",
                           what));
    };
    const Analyzer& a = c.analyzer;
    if (const auto q = number("config_wavevector_q"); q && std::abs(*q - a.wavevector_q) > same_q) {
        refuse_other(
            fmt::format("wavevector_q {}, the configuration asks for {}", *q, a.wavevector_q));
    }
    const auto start = number("start_frame");
    const auto end = number("end_frame");
    const auto wanted = static_cast<double>(std::max<std::int64_t>(a.start_frame, 1));
    const bool is_other_end =
        end && a.end_frame >= 1 && *end >= 1 && *end != static_cast<double>(a.end_frame);
    if ((start && std::max(*start, 1.0) != wanted) || is_other_end) {
        refuse_other(fmt::format("frames {} to {}, the configuration asks for {} to {}",
                                 start.value_or(1),
                                 end.value_or(-1),
                                 a.start_frame,
                                 a.end_frame));
    }
}

}  // namespace

std::unique_ptr<MatrixSource> open_cache(const std::filesystem::path& path,
                                         const Configuration& configuration) {
    const std::string name = path.string();
    const io::NpzFile file(path);
    if (!file.has("c2_exp") || !file.has("phi_angles_list")) {
        return nullptr;
    }
    const io::Json metadata = metadata_of(file, name);
    check_metadata(metadata, configuration, name);
    const auto phi = list_in(file, "phi_angles_list", 0, name);
    const auto q = list_in(file, "wavevector_q_list", phi.size(), name);
    std::vector<MatrixLabel> labels;
    for (std::size_t k = 0; k < phi.size(); ++k) {
        labels.push_back({fmt::format("c2_exp[{}]", k), q[k], phi[k]});
    }
    io::NpyArray c2 = file.read("c2_exp");
    if (c2.shape.size() != 3 || c2.shape[0] != std::ssize(phi)) {
        refuse(name,
               fmt::format("array c2_exp has the shape ({}): must be {} angles by frames by frames",
                           fmt::join(c2.shape, ", "),
                           phi.size()));
    }
    const auto frames = at(c2.shape[1]);
    auto source = std::make_unique<MemoryMatrices>(
        "homodyne's cache", name, std::move(c2), std::move(labels), PlainData::Axis::first);
    const auto times = list_in(file, "t1", frames, name);
    list_in(file, "t2", frames, name);
    source->set_cache(times[1] - times[0]);
    if (metadata.is_null()) {
        source->note("the cache does not say which frames and wavevector it is of");
    }
    return source;
}

std::unique_ptr<MatrixSource> open_array(const std::filesystem::path& path,
                                         const Configuration& configuration) {
    const std::string name = path.string();
    const PlainData& plain = configuration.data.plain;
    io::NpyArray array;
    if (path.extension() == ".npy") {
        array = io::read_npy(path);
    } else {
        const io::NpzFile file(path);
        const auto names = file.names();
        if (plain.dataset.empty() && names.size() != 1) {
            refuse(name,
                   fmt::format("holds the arrays {}: name one as lockstep.data.dataset",
                               fmt::join(names, ", ")));
        }
        array = file.read(plain.dataset.empty() ? names.front() : plain.dataset);
    }
    auto labels = plain_labels(configuration, matrices_in(array.shape, plain.axis));
    return std::make_unique<MemoryMatrices>(
        "plain array", name, std::move(array), std::move(labels), plain.axis);
}

}  // namespace lockstep::formats::homodyne
