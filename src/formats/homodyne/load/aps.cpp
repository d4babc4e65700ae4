#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/homodyne/load/matrix_source.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::Hdf5Kind;

constexpr std::int64_t most_bins = 1 << 20;

class ApsMatrices : public MatrixSource {
public:
    ApsMatrices(std::string_view layout, const std::string& name, Hdf5Matrices matrices)
        : layout_(layout), matrices_(std::move(matrices)) {
        if (matrices_.labels.empty()) {
            refuse(name, fmt::format("/{} holds no matrix", matrices_.dataset));
        }
        frames_ = matrices_.frames(name);
    }

    [[nodiscard]] std::string_view layout() const override { return layout_; }
    [[nodiscard]] const std::vector<MatrixLabel>& labels() const override {
        return matrices_.labels;
    }
    [[nodiscard]] int frames() const override { return frames_; }
    void read(int k, int first, int count, std::span<double> to) const override {
        matrices_.read(k, first, count, to);
    }
    [[nodiscard]] std::optional<double> step() const override { return step_; }
    [[nodiscard]] std::string q_unit() const override { return unit_; }
    [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

    void set_step(std::optional<double> step) { step_ = step; }
    void set_unit(std::string unit) { unit_ = std::move(unit); }
    void note(std::string text) { notes_.push_back(std::move(text)); }

private:
    std::string_view layout_;
    Hdf5Matrices matrices_;
    int frames_ = 0;
    std::optional<double> step_;
    std::string unit_;
    std::vector<std::string> notes_;
};

std::string text_in(const io::Hdf5Reader& file, std::string_view dataset) {
    if (file.kind(dataset) != Hdf5Kind::text) {
        return {};
    }
    const auto texts = file.texts(dataset);
    return texts.empty() ? std::string() : texts.front();
}

double product_in(const io::Hdf5Reader& file, std::initializer_list<std::string_view> datasets) {
    double product = 1;
    for (const std::string_view dataset : datasets) {
        product *= value_in(file, dataset).value_or(1);
    }
    return product;
}

// The first of these datasets that is there, times what frames were joined or skipped.
std::optional<double> step_in(const io::Hdf5Reader& file,
                              std::initializer_list<std::string_view> periods,
                              std::initializer_list<std::string_view> factors) {
    for (const std::string_view period : periods) {
        if (const auto value = value_in(file, period); value && *value > 0) {
            return *value * product_in(file, factors);
        }
    }
    return std::nullopt;
}

std::string group_of_old(const io::Hdf5Reader& file) {
    std::string output = text_in(file, "xpcs/output_data");
    output.erase(0, output.find_first_not_of('/'));
    for (const std::string& group : {output, std::string("exchange")}) {
        const std::string matrices = group + "/C2T_all";
        if (!group.empty() && file.kind(matrices) == Hdf5Kind::group) {
            return matrices;
        }
    }
    return {};
}

std::int64_t number_of(const std::string& file, const std::string& group, const std::string& name) {
    const auto number = number_in(name);
    if (!number || *number < 1) {
        refuse(file, fmt::format("/{}/{} has no number from 1 on in its name", group, name));
    }
    return *number;
}

// Where a bin stands in the map of wavevectors by angles, from 0.
struct BinMap {
    std::vector<double> q;
    std::vector<double> phi;
    std::vector<double> mapping;  ///< empty: bins are numbered without gaps

    [[nodiscard]] std::optional<std::int64_t> place(double bin) const {
        const double index = bin - 1;
        if (!(index >= 0) || index != std::floor(index)) {
            return std::nullopt;
        }
        double found = index;
        if (!mapping.empty()) {
            if (index >= static_cast<double>(mapping.size())) {
                return std::nullopt;
            }
            found = mapping[static_cast<std::size_t>(index)];
        }
        const auto all = static_cast<double>(q.size() * phi.size());
        return found >= 0 && found < all && found == std::floor(found)
                   ? std::optional(static_cast<std::int64_t>(found))
                   : std::nullopt;
    }
};

std::vector<double> numbers_or_none(const io::Hdf5Reader& file, std::string_view dataset) {
    return file.kind(dataset) == Hdf5Kind::numbers ? file.numbers(dataset, most_bins)
                                                   : std::vector<double>();
}

BinMap bin_map(const io::Hdf5Reader& file, const std::string& name) {
    BinMap map{file.numbers("xpcs/qmap/dynamic_v_list_dim0", most_bins),
               numbers_or_none(file, "xpcs/qmap/dynamic_v_list_dim1"),
               numbers_or_none(file, "xpcs/qmap/dynamic_index_mapping")};
    if (map.phi.empty()) {
        map.phi = {0};
    }
    if (map.q.empty()) {
        refuse(name, "/xpcs/qmap/dynamic_v_list_dim0 is empty: it must list the wavevectors");
    }
    return map;
}

MatrixLabel label_of(const BinMap& map,
                     const std::string& matrix,
                     std::int64_t number,
                     const std::vector<double>& bins,
                     const std::string& file) {
    if (number > std::ssize(bins)) {
        refuse(file,
               fmt::format("matrix {} has no entry in /xpcs/twotime/processed_bins, which has {}",
                           matrix,
                           bins.size()));
    }
    const double bin = bins[at(number - 1)];
    const auto place = map.place(bin);
    if (!place) {
        refuse(
            file,
            fmt::format("matrix {} is of bin {}, which /xpcs/qmap has no wavevector and angle "
                        "for ({} by {}{})",
                        matrix,
                        bin,
                        map.q.size(),
                        map.phi.size(),
                        map.mapping.empty() ? std::string()
                                            : fmt::format(", {} mapped bins", map.mapping.size())));
    }
    const auto angles = std::ssize(map.phi);
    return {matrix, map.q[at(*place / angles)], map.phi[at(*place % angles)]};
}

void note_map_names(const io::Hdf5Reader& file, ApsMatrices& source) {
    if (file.kind("xpcs/qmap/map_names") == Hdf5Kind::text) {
        const auto names = file.texts("xpcs/qmap/map_names");
        if (names.size() > 1 && names[1].find("phi") == std::string::npos &&
            names[1].find("angle") == std::string::npos) {
            source.note(
                fmt::format("/xpcs/qmap says that its second axis is \"{}\", which is taken "
                            "for the angle in degrees",
                            names[1]));
        }
    }
    if (file.kind("xpcs/qmap/map_units") == Hdf5Kind::text) {
        const auto units = file.texts("xpcs/qmap/map_units");
        source.set_unit(units.empty() ? std::string() : units[0]);
    }
}

std::string group_of_u(const io::Hdf5Reader& file) {
    for (const char* const group : {"xpcs/twotime/correlation_map", "xpcs/twotime/c2_half"}) {
        if (file.kind(group) != Hdf5Kind::absent) {
            return group;
        }
    }
    return {};
}

Hdf5Matrices u_matrices(const std::shared_ptr<io::Hdf5Reader>& file,
                        const std::string& group,
                        const BinMap& map,
                        const std::string& name) {
    const auto bins = file->numbers("xpcs/twotime/processed_bins", most_bins);
    Hdf5Matrices matrices{file, group, {}};
    if (file->kind(group) == Hdf5Kind::numbers) {
        matrices.matrix_axis = 0;
        const auto shape = file->shape(group);
        const std::int64_t count = shape.size() == 3 ? shape[0] : 0;
        for (std::int64_t k = 1; k <= count; ++k) {
            matrices.labels.push_back(label_of(map, std::to_string(k), k, bins, name));
        }
        return matrices;
    }
    for (const std::string& matrix : file->names(group)) {
        const std::int64_t number = number_of(name, group, matrix);
        matrices.labels.push_back(label_of(map, matrix, number, bins, name));
    }
    return matrices;
}

}  // namespace

std::unique_ptr<MatrixSource> open_aps_u(const std::shared_ptr<io::Hdf5Reader>& file,
                                         const std::string& name) {
    const std::string group = group_of_u(*file);
    if (file->kind("xpcs/qmap/dynamic_v_list_dim0") != Hdf5Kind::numbers || group.empty()) {
        return nullptr;
    }
    const BinMap map = bin_map(*file, name);
    auto source = std::make_unique<ApsMatrices>("APS-U", name, u_matrices(file, group, map, name));
    if (map.mapping.empty()) {
        source->note(
            "/xpcs/qmap/dynamic_index_mapping is missing: bins are taken to be numbered "
            "without gaps, angle by angle");
    }
    if (file->kind("xpcs/qmap/dynamic_v_list_dim1") == Hdf5Kind::absent) {
        source->note("/xpcs/qmap/dynamic_v_list_dim1 is missing: all angles are taken to be 0");
    }
    source->set_step(
        step_in(*file,
                {"entry/instrument/detector_1/frame_time"},
                {"xpcs/twotime/config/avg_frame", "xpcs/twotime/config/stride_frame"}));
    note_map_names(*file, *source);
    return source;
}

std::unique_ptr<MatrixSource> open_aps_old(const std::shared_ptr<io::Hdf5Reader>& file,
                                           const std::string& name) {
    const std::string group = group_of_old(*file);
    if (group.empty() || file->kind("xpcs/dqlist") != Hdf5Kind::numbers ||
        file->kind("xpcs/dphilist") != Hdf5Kind::numbers) {
        return nullptr;
    }
    const auto q = file->numbers("xpcs/dqlist", most_bins);
    const auto phi = file->numbers("xpcs/dphilist", most_bins);
    Hdf5Matrices matrices{file, group, {}};
    for (const std::string& matrix : file->names(group)) {
        const std::int64_t number = number_of(name, group, matrix);
        if (number > std::ssize(q) || number > std::ssize(phi)) {
            refuse(
                name,
                fmt::format("/{}/{} has no entry in /xpcs/dqlist ({} entries) and /xpcs/dphilist "
                            "({})",
                            group,
                            matrix,
                            q.size(),
                            phi.size()));
        }
        matrices.labels.push_back({matrix, q[at(number - 1)], phi[at(number - 1)]});
    }
    auto source =
        std::make_unique<ApsMatrices>("APS before the upgrade", name, std::move(matrices));
    source->set_step(step_in(*file,
                             {"measurement/instrument/detector/acquire_period",
                              "measurement/instrument/detector/exposure_period"},
                             {"xpcs/stride_frames", "xpcs/avg_frames"}));
    return source;
}

}  // namespace lockstep::formats::homodyne
