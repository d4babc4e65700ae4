#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/io/hdf5.hpp"

namespace lockstep::formats::homodyne {

/// One two-time matrix of a file.
struct MatrixLabel {
    std::string name;
    double q = 0;    ///< as the file has it
    double phi = 0;  ///< degrees
};

/// A file of square matrices, all of the same frames, read one at a time.
class MatrixSource {
public:
    virtual ~MatrixSource() = default;
    MatrixSource() = default;
    MatrixSource(const MatrixSource&) = delete;
    MatrixSource& operator=(const MatrixSource&) = delete;

    [[nodiscard]] virtual std::string_view layout() const = 0;
    [[nodiscard]] virtual const std::vector<MatrixLabel>& labels() const = 0;
    [[nodiscard]] virtual int frames() const = 0;
    /// The block of `count` frames from `first` on of matrix k, row by row.
    virtual void read(int k, int first, int count, std::span<double> to) const = 0;

    /// Whether frames and wavevector were selected when the file was written, as in a cache.
    [[nodiscard]] virtual bool is_selected() const { return false; }
    /// [s] between frames, where the file says so.
    [[nodiscard]] virtual std::optional<double> step() const { return std::nullopt; }
    /// As the file writes it; empty where it does not say.
    [[nodiscard]] virtual std::string q_unit() const { return {}; }
    /// What is to be added, where the file says so.
    [[nodiscard]] virtual std::optional<double> baseline() const { return std::nullopt; }
    [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// Opens the file of a configuration by what it holds.
std::unique_ptr<MatrixSource> open_matrices(const Configuration& configuration);

/// Each for its layout; nullptr when the file has another one.
std::unique_ptr<MatrixSource> open_aps_u(const std::shared_ptr<io::Hdf5Reader>& file,
                                         const std::string& name);
std::unique_ptr<MatrixSource> open_aps_old(const std::shared_ptr<io::Hdf5Reader>& file,
                                           const std::string& name);
std::unique_ptr<MatrixSource> open_nexus(const std::shared_ptr<io::Hdf5Reader>& file,
                                         const std::string& name);
std::unique_ptr<MatrixSource> open_pychx(const std::shared_ptr<io::Hdf5Reader>& file,
                                         const std::string& name);
/// The dataset that the configuration names.
std::unique_ptr<MatrixSource> open_dataset(const std::shared_ptr<io::Hdf5Reader>& file,
                                           const Configuration& configuration);

/// homodyne's cache; nullptr when the archive holds other arrays.
std::unique_ptr<MatrixSource> open_cache(const std::filesystem::path& path,
                                         const Configuration& configuration);
/// An .npy or .npz file of one array.
std::unique_ptr<MatrixSource> open_array(const std::filesystem::path& path,
                                         const Configuration& configuration);

/// @throws InputError  "file: what"
[[noreturn]] void refuse(const std::string& file, const std::string& what);

/// Matrices of a group or one array of HDF5, labelled.
struct Hdf5Matrices {
    std::shared_ptr<io::Hdf5Reader> file;
    std::string dataset;               ///< the array, or the group
    std::vector<MatrixLabel> labels;   ///< of a group: names of its datasets
    std::optional<int> matrix_axis{};  ///< of the array; none: a group
    bool is_upside_down = false;       ///< the time origin is at the lower left

    [[nodiscard]] int frames(const std::string& name) const;
    void read(int k, int first, int count, std::span<double> to) const;
};

/// The number at the end of "c2_00012"; none without digits.
std::optional<std::int64_t> number_in(std::string_view name);

/// A number of a file, of a dataset with one value.
std::optional<double> value_in(const io::Hdf5Reader& file, std::string_view dataset);

/// Labels that a configuration gives to `count` matrices of a file without any.
std::vector<MatrixLabel> plain_labels(const Configuration& configuration, std::int64_t count);

}  // namespace lockstep::formats::homodyne
