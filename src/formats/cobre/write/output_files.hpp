#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"
#include "lockstep/sddp/calendar.hpp"

#include "formats/cobre/records.hpp"
#include "formats/records/tables.hpp"

namespace lockstep::formats::cobre::out {

/// A part that was done to its end.
inline constexpr std::string_view success_name = "_SUCCESS";
/// A part that ended before: by a signal, a request, a stage without a solution.
inline constexpr std::string_view partial_name = "_PARTIAL";

/// Removes the marks and metadata.json of a part.
/// @throws IoError
void remove_marks(const std::filesystem::path& part);
/// Writes metadata.json of a part, then the mark that fits its status.
/// @throws IoError
void write_marks(const std::filesystem::path& part, const io::Json& metadata);

/// Indented JSON with a final newline.
void write_json(const std::filesystem::path& path, const io::Json& value);

/// Writes <output>/<file of the definition>.parquet.
template <typename Row>
void write_table(const std::filesystem::path& output,
                 const TableDefinition<Row>& definition,
                 const std::vector<Row>& rows) {
    io::write_parquet(output / (definition.file() + ".parquet"), definition.table(rows));
}

/// @throws IoError  the file is there and cannot be removed
void remove_file(const std::filesystem::path& path);

/// Removes <output>/<file of the definition>.parquet, if it is there.
template <typename Row>
void remove_table(const std::filesystem::path& output, const TableDefinition<Row>& definition) {
    remove_file(output / (definition.file() + ".parquet"));
}

/// Folder of a scenario: "scenario_id=0007".
std::string partition(int scenario);

/// "2026-01-31" of a date.
std::string to_iso(Date date);

/// A field of a CSV line, quoted where it must be.
std::string csv_field(std::string_view text);

}  // namespace lockstep::formats::cobre::out
