#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/io/file.hpp"

namespace lockstep::io {

/// Calendar day, stored as Parquet DATE (days since 1970-01-01).
using Day = std::chrono::sys_days;

/// One column: values of one type and, for nullable columns, which are present.
struct Column {
    using Values = std::variant<std::vector<double>,
                                std::vector<std::int32_t>,
                                std::vector<std::int64_t>,
                                std::vector<std::uint32_t>,
                                std::vector<std::uint64_t>,
                                std::vector<std::int8_t>,
                                std::vector<std::uint8_t> /* booleans, 0 or 1 */,
                                std::vector<std::string>,
                                std::vector<Day>,
                                std::vector<std::vector<double>> /* list of real */>;
    std::string name{};
    Values values{};
    bool nullable = false;
    std::vector<std::uint8_t> present{};  ///< [rows]; empty: all

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool is_present(std::size_t row) const noexcept {
        return present.empty() || present[row] != 0;
    }
};

/// "DOUBLE", "INT32", "INT64", "UINT32", "UINT64", "INT8", "BOOLEAN", "STRING", "DATE" or
/// "LIST<DOUBLE>".
std::string_view type_name(const Column& column);

/// Columns of equal length.
struct Table {
    std::vector<Column> columns{};
    [[nodiscard]] std::size_t rows() const noexcept {
        return columns.empty() ? 0 : columns.front().size();
    }
    [[nodiscard]] const Column* find(std::string_view name) const noexcept;
};

/// Key-value pairs of the file's metadata.
using FileMetadata = std::vector<std::pair<std::string, std::string>>;

/// A column that a Table cannot hold.
struct SkippedColumn {
    std::string name;
    std::string type;  ///< as Arrow names it, with the reason where the values are the reason
};

/// What a file holds beside its table.
struct ParquetRest {
    std::vector<SkippedColumn> skipped{};
    FileMetadata metadata{};
};

/// Reads a Parquet file whole (plain, dictionary; uncompressed, snappy, zstd; any number of row
/// groups). Types that Column does not have are read as the next wider one: integers of 8 and 16
/// bits as INT32, reals of single precision and decimals as DOUBLE, timestamps at midnight as DATE,
/// dictionaries as what they stand for. Columns of still other types are left out and listed in
/// `rest`. Absent values are 0, empty or 1970-01-01; a null inside a list is NaN.
/// @throws IoError  missing, unreadable, not a regular file; InputError  not Parquet, truncated,
/// damaged, or of more than 2^29 values
Table read_parquet(const std::filesystem::path& path, ParquetRest* rest = nullptr);

/// The same of bytes that were read already.
/// @param name  file name for messages
/// @param largest  values (rows × columns) that the table may have: a short file may stand for many
Table parse_parquet(std::string bytes,
                    std::string_view name,
                    ParquetRest* rest = nullptr,
                    std::int64_t largest = std::int64_t{1} << 29);

/// Writes a Parquet file whole or not at all: zstd, or plain where every column is tiny.
/// @throws IoError  cannot be written
void write_parquet(const std::filesystem::path& path,
                   const Table& table,
                   const FileMetadata& metadata = {},
                   Durability durability = Durability::now);

/// Writes a Parquet file row group by row group (131,072 rows each) in bounded memory; the file
/// appears under its name at close().
class ParquetWriter {
public:
    /// @param schema  a table without rows: names, types, nullability
    ParquetWriter(std::filesystem::path path,
                  const Table& schema,
                  const FileMetadata& metadata = {});
    ~ParquetWriter();  ///< without close(): the unfinished file is removed
    ParquetWriter(ParquetWriter&&) noexcept;
    ParquetWriter& operator=(ParquetWriter&&) noexcept;

    /// The rows that follow begin a row group.
    void end_group();
    /// Appends rows; columns as in the schema, in its order.
    /// @throws IoError  cannot be written; AssertionError  other columns than the schema, unequal
    /// lengths
    void write(const Table& rows);
    /// @throws IoError  cannot be written
    void close(Durability durability = Durability::now);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
    friend void write_parquet(const std::filesystem::path&,
                              const Table&,
                              const FileMetadata&,
                              Durability);
};

}  // namespace lockstep::io
