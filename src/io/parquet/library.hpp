#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/io/table.hpp"

namespace lockstep::io {

/// Row groups of a file whose bytes are in memory.
class ParquetDecoder {
public:
    virtual ~ParquetDecoder() = default;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] virtual Table read(const std::vector<int>& groups) const = 0;
};

/// Takes the bytes of a file in their order.
using ByteSink = std::function<void(std::string_view)>;

/// Rows into bytes, row group by row group.
class ParquetEncoder {
public:
    virtual ~ParquetEncoder() = default;
    virtual void write(const Table& rows) = 0;
    virtual void end_group() = 0;
    virtual void close() = 0;
};

/// Zstd, which Arrow brings. The same bytes whenever asked.
class Compressor {
public:
    virtual ~Compressor() = default;
    /// Length that `bytes` have at most when compressed.
    [[nodiscard]] virtual std::size_t bound(std::span<const std::byte> bytes) const = 0;
    /// @return length in `to`
    virtual std::size_t compress(std::span<const std::byte> bytes, std::span<std::byte> to) = 0;
    /// @return false for anything but the compressed form of bytes as long as `to`
    [[nodiscard]] virtual bool decompress(std::span<const std::byte> bytes,
                                          std::span<std::byte> to) const = 0;
};

/// What the rest of the program sees of Arrow, which is loaded with it when the first Parquet file
/// is touched. Functions throw std::exception with the reason, without the file's name, and what a
/// sink threw.
struct ParquetLibrary {
    std::string_view build;  ///< parquet_build of the build that it is of
    Table (*decode)(std::string bytes, ParquetRest* rest, std::int64_t largest);
    std::unique_ptr<ParquetDecoder> (*decoder)(std::string bytes, std::vector<std::string> columns);
    std::unique_ptr<ParquetEncoder> (*encoder)(const Table& schema,
                                               const FileMetadata& metadata,
                                               bool is_small,
                                               ByteSink sink);
    std::unique_ptr<Compressor> (*compressor)();
};

/// C++ crosses the border to the plug-in, so both have to be of one version and one compiler.
inline constexpr std::string_view parquet_build = LOCKSTEP_BUILD_STAMP " 1";
/// The function of a plug-in by which its table is found.
inline constexpr const char* parquet_library_function = "lockstep_parquet_library";
using ParquetLibraryFunction = const ParquetLibrary* (*)();

/// @throws NotBuiltError  the plug-in is not there, of another build, or finds no Arrow
const ParquetLibrary& parquet_library();

}  // namespace lockstep::io
