#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/homodyne/load/matrix_source.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::Hdf5Kind;

constexpr std::int64_t most_bins = 1 << 20;

// What a file says beside its matrices.
struct Sayings {
    std::optional<double> step{};
    std::optional<double> baseline{};
    std::string q_unit{};
    std::vector<std::string> notes{};
};

class ArrayMatrices : public MatrixSource {
public:
    ArrayMatrices(std::string_view layout,
                  const std::string& name,
                  Hdf5Matrices matrices,
                  Sayings sayings)
        : layout_(layout),
          matrices_(std::move(matrices)),
          frames_(matrices_.frames(name)),
          sayings_(std::move(sayings)) {}

    [[nodiscard]] std::string_view layout() const override { return layout_; }
    [[nodiscard]] const std::vector<MatrixLabel>& labels() const override {
        return matrices_.labels;
    }
    [[nodiscard]] int frames() const override { return frames_; }
    void read(int k, int first, int count, std::span<double> to) const override {
        matrices_.read(k, first, count, to);
    }
    [[nodiscard]] std::optional<double> step() const override { return sayings_.step; }
    [[nodiscard]] std::optional<double> baseline() const override { return sayings_.baseline; }
    [[nodiscard]] std::string q_unit() const override { return sayings_.q_unit; }
    [[nodiscard]] std::vector<std::string> notes() const override { return sayings_.notes; }

private:
    std::string_view layout_;
    Hdf5Matrices matrices_;
    int frames_ = 0;
    Sayings sayings_;
};

std::string text_of(const io::Hdf5Reader& file, std::string_view object, std::string_view name) {
    const auto value = file.attribute(object, name);
    const auto* const texts = value ? std::get_if<std::vector<std::string>>(&*value) : nullptr;
    return texts == nullptr || texts->empty() ? std::string() : texts->front();
}

std::vector<double> numbers_of(const io::Hdf5Reader& file,
                               std::string_view object,
                               std::string_view name) {
    const auto value = file.attribute(object, name);
    const auto* const numbers = value ? std::get_if<std::vector<double>>(&*value) : nullptr;
    return numbers == nullptr ? std::vector<double>() : *numbers;
}

std::vector<std::int64_t> cube(const io::Hdf5Reader& file,
                               const std::string& dataset,
                               const std::string& name) {
    auto shape = file.shape(dataset);
    if (shape.size() != 3) {
        refuse(
            name,
            fmt::format(
                "/{} has the shape ({}): must have three axes", dataset, fmt::join(shape, ", ")));
    }
    return shape;
}

// ---- NeXus, application definition NXxpcs ----

constexpr const char* nexus_matrices = "entry/twotime/two_time_corr_func";

std::string child_with(const io::Hdf5Reader& file,
                       const std::string& group,
                       std::string_view wanted) {
    if (file.kind(group) != Hdf5Kind::group) {
        return {};
    }
    for (const std::string& name : file.names(group)) {
        const std::string place = fmt::format("{}/{}/{}", group, name, wanted);
        if (file.kind(place) == Hdf5Kind::numbers) {
            return place;
        }
    }
    return {};
}

std::vector<double> nexus_list(const io::Hdf5Reader& file, std::string_view list) {
    for (const char* const masks : {"entry/instrument/masks/", "entry/twotime/masks/"}) {
        const std::string place = fmt::format("{}{}", masks, list);
        if (file.kind(place) == Hdf5Kind::numbers) {
            return file.numbers(place, most_bins);
        }
    }
    return {};
}

std::vector<MatrixLabel> nexus_labels(const io::Hdf5Reader& file,
                                      const std::vector<std::string>& names,
                                      const std::string& name) {
    const auto q = nexus_list(file, "dynamic_q_list");
    const auto phi = nexus_list(file, "dynamic_phi_list");
    std::vector<MatrixLabel> labels;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const std::int64_t number = number_in(names[k]).value_or(std::ssize(labels) + 1);
        if (number < 1 || number > std::ssize(q) || (!phi.empty() && number > std::ssize(phi))) {
            refuse(name,
                   fmt::format("matrix {} has no entry in dynamic_q_list ({} entries) and "
                               "dynamic_phi_list ({})",
                               names[k],
                               q.size(),
                               phi.size()));
        }
        labels.push_back({names[k], q[at(number - 1)], phi.empty() ? 0 : phi[at(number - 1)]});
    }
    return labels;
}

Hdf5Matrices nexus_layout(const std::shared_ptr<io::Hdf5Reader>& file, const std::string& name) {
    Hdf5Matrices matrices{file, nexus_matrices, {}};
    if (file->kind(nexus_matrices) == Hdf5Kind::group) {
        matrices.labels = nexus_labels(*file, file->names(nexus_matrices), name);
        return matrices;
    }
    const std::string mode = text_of(*file, nexus_matrices, "storage_mode");
    if (mode != "one_array_q_first" && mode != "one_array_q_last") {
        refuse(name,
               fmt::format("/{} has the storage_mode \"{}\": must be one_array_q_first, "
                           "one_array_q_last or a group of matrices",
                           nexus_matrices,
                           mode));
    }
    matrices.matrix_axis = mode == "one_array_q_first" ? 0 : 2;
    const std::int64_t count = cube(*file, nexus_matrices, name)[at(*matrices.matrix_axis)];
    std::vector<std::string> names;
    for (std::int64_t k = 1; k <= count; ++k) {
        names.push_back(std::to_string(k));
    }
    matrices.labels = nexus_labels(*file, names, name);
    matrices.is_upside_down =
        text_of(*file, nexus_matrices, "time_origin_location") == "lower_left";
    return matrices;
}

// ---- pyCHX ----

// Times between frames as people at the beamline name them, the surest first.
std::optional<double> pychx_step(const io::Hdf5Reader& file) {
    if (file.kind("md") == Hdf5Kind::absent) {
        return std::nullopt;
    }
    for (const char* const key : {"frame_time", "cam_acquire_period", "acquire period"}) {
        const auto numbers = numbers_of(file, "md", key);
        if (!numbers.empty() && numbers.front() > 0) {
            return numbers.front();
        }
    }
    return std::nullopt;
}

// ---- one dataset without any description ----

int plain_axis(const Configuration& configuration, std::size_t axes) {
    return configuration.data.plain.axis == PlainData::Axis::first ? 0 : static_cast<int>(axes) - 1;
}

}  // namespace

std::unique_ptr<MatrixSource> open_nexus(const std::shared_ptr<io::Hdf5Reader>& file,
                                         const std::string& name) {
    if (file->kind(nexus_matrices) == Hdf5Kind::absent) {
        return nullptr;
    }
    Sayings sayings;
    if (const auto step = child_with(*file, "entry/instrument", "frame_time"); !step.empty()) {
        sayings.step = value_in(*file, step);
    }
    if (const auto line = numbers_of(*file, nexus_matrices, "baseline_reference"); !line.empty()) {
        sayings.baseline = line.front() == 0 ? 1 : 0;
    }
    for (const char* const list : {"entry/instrument/masks/dynamic_q_list"}) {
        if (file->kind(list) == Hdf5Kind::numbers) {
            sayings.q_unit = text_of(*file, list, "units");
        }
    }
    return std::make_unique<ArrayMatrices>(
        "NeXus", name, nexus_layout(file, name), std::move(sayings));
}

std::unique_ptr<MatrixSource> open_pychx(const std::shared_ptr<io::Hdf5Reader>& file,
                                         const std::string& name) {
    if (file->kind("g12b") != Hdf5Kind::numbers || file->kind("qval_dict") == Hdf5Kind::absent) {
        return nullptr;
    }
    const std::int64_t count = cube(*file, "g12b", name)[2];
    Hdf5Matrices matrices{file, "g12b", {}, 2};
    for (std::int64_t k = 0; k < count; ++k) {
        const auto values = numbers_of(*file, "qval_dict", std::to_string(k));
        if (values.empty()) {
            refuse(name, fmt::format("/qval_dict has no entry \"{}\" for matrix {}", k, k));
        }
        matrices.labels.push_back(
            {fmt::format("g12b[…, {}]", k), values[0], values.size() > 1 ? values[1] : 0});
    }
    return std::make_unique<ArrayMatrices>(
        "pyCHX", name, std::move(matrices), Sayings{pychx_step(*file), std::nullopt, "", {}});
}

std::unique_ptr<MatrixSource> open_dataset(const std::shared_ptr<io::Hdf5Reader>& file,
                                           const Configuration& configuration) {
    const std::string& dataset = configuration.data.plain.dataset;
    const std::string name = configuration.data.file.string();
    if (dataset.empty()) {
        return nullptr;
    }
    const auto shape = file->shape(dataset);
    Hdf5Matrices matrices{file, dataset, {}};
    if (shape.size() == 3) {
        matrices.matrix_axis = plain_axis(configuration, shape.size());
        matrices.labels = plain_labels(configuration, shape[at(*matrices.matrix_axis)]);
    } else if (shape.size() == 2) {
        matrices.labels = plain_labels(configuration, 1);
        const std::size_t slash = dataset.rfind('/');
        matrices.dataset = slash == std::string::npos ? "" : dataset.substr(0, slash);
        matrices.labels[0].name = dataset.substr(slash == std::string::npos ? 0 : slash + 1);
    } else {
        refuse(name,
               fmt::format("/{} has the shape ({}): must be one matrix or several",
                           dataset,
                           fmt::join(shape, ", ")));
    }
    return std::make_unique<ArrayMatrices>("plain HDF5", name, std::move(matrices), Sayings{});
}

}  // namespace lockstep::formats::homodyne
