#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::io {

/// Whether this build reads and writes HDF5.
[[nodiscard]] bool has_hdf5() noexcept;

/// What stands under a name in an HDF5 file.
enum class Hdf5Kind { absent, group, numbers, text, other };

/// Part of a dataset: indices start[k] … start[k] + count[k] - 1 of each axis k.
struct Hdf5Slab {
    std::vector<std::int64_t> start{};
    std::vector<std::int64_t> count{};
};

/// A value of an attribute, a list of one for a single number or text.
using Hdf5Attribute = std::variant<std::vector<double>, std::vector<std::string>>;

/// An HDF5 file that is read, without any lock, so that files on read-only file systems and files
/// that somebody else has open can be read.
///
/// Names are paths from the root, as "exchange/C2T_all/g2_00001". The methods may be called from
/// several threads and wait for one another. They throw InputError for a name that is not there or
/// not of the asked-for kind, and for what cannot be decoded.
class Hdf5Reader {
public:
    virtual ~Hdf5Reader() = default;
    Hdf5Reader() = default;
    Hdf5Reader(const Hdf5Reader&) = delete;
    Hdf5Reader& operator=(const Hdf5Reader&) = delete;

    [[nodiscard]] virtual Hdf5Kind kind(std::string_view name) const = 0;
    /// What a group holds, in alphabetical order; "" is the root.
    [[nodiscard]] virtual std::vector<std::string> names(std::string_view group) const = 0;
    /// Lengths of the axes; none for a single value.
    [[nodiscard]] virtual std::vector<std::int64_t> shape(std::string_view dataset) const = 0;

    /// Reads numbers of any type as `to` has them, row by row, into all of `to`.
    /// @param slab  the part that is read
    virtual void read(std::string_view dataset,
                      const Hdf5Slab& slab,
                      std::span<double> to) const = 0;
    virtual void read(std::string_view dataset,
                      const Hdf5Slab& slab,
                      std::span<float> to) const = 0;
    virtual void read(std::string_view dataset,
                      const Hdf5Slab& slab,
                      std::span<std::int64_t> to) const = 0;
    /// All numbers of a dataset, of which it may have `largest`.
    [[nodiscard]] virtual std::vector<double> numbers(std::string_view dataset,
                                                      std::int64_t largest) const = 0;
    [[nodiscard]] virtual std::vector<std::string> texts(std::string_view dataset) const = 0;

    /// In alphabetical order.
    [[nodiscard]] virtual std::vector<std::string> attributes(std::string_view object) const = 0;
    /// None when there is no such attribute, or one of neither numbers nor texts.
    [[nodiscard]] virtual std::optional<Hdf5Attribute> attribute(std::string_view object,
                                                                 std::string_view name) const = 0;
};

/// @throws IoError  missing, unreadable; InputError  not HDF5, cut off or damaged; NotBuiltError
/// this build has no HDF5
std::unique_ptr<Hdf5Reader> open_hdf5(const std::filesystem::path& path);

/// How a dataset is stored.
struct Hdf5Storage {
    std::vector<std::int64_t> chunk{};  ///< [axes]; empty: in one piece, not compressed
    int deflate = 0;                    ///< 0 to 9; above 0 needs chunks
};

/// An HDF5 file that is written; it appears under its name at close(). Groups are made as names
/// need them. The bytes are a function of what was written.
class Hdf5Writer {
public:
    virtual ~Hdf5Writer() = default;  ///< without close(): the unfinished file is removed
    Hdf5Writer() = default;
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    virtual void write(std::string_view dataset,
                       std::span<const double> values,
                       std::span<const std::int64_t> shape,
                       const Hdf5Storage& storage) = 0;
    virtual void write(std::string_view dataset,
                       std::span<const float> values,
                       std::span<const std::int64_t> shape,
                       const Hdf5Storage& storage) = 0;
    virtual void write(std::string_view dataset,
                       std::span<const std::int64_t> values,
                       std::span<const std::int64_t> shape,
                       const Hdf5Storage& storage) = 0;
    virtual void write(std::string_view dataset, const std::string& text) = 0;
    /// Gives a dataset or group that was written an attribute.
    virtual void set(std::string_view object,
                     std::string_view name,
                     const Hdf5Attribute& value) = 0;
    /// Gives the axes of a dataset names and values by datasets of one axis: netCDF-4 has them as
    /// its dimensions. A dataset that is such a scale needs no label of its own.
    /// @param scales  one an axis
    virtual void label(std::string_view dataset, std::span<const std::string> scales) = 0;
    /// @throws IoError  the unfinished file is removed
    virtual void close() = 0;
};

/// @throws IoError  cannot be written; NotBuiltError  this build has no HDF5
std::unique_ptr<Hdf5Writer> create_hdf5(const std::filesystem::path& path);

}  // namespace lockstep::io
