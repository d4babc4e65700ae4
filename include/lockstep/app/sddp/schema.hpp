#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::app {

/// Writes a JSON Schema (draft 2020-12) of each file of a case, for editors and programs:
/// "stages.schema.json" …; those of Parquet tables describe the list of their rows.
/// @return the files
/// @throws IoError
std::vector<std::filesystem::path> write_schemas(const std::filesystem::path& directory);

/// Every file, field and column of a case with its meaning, unit, default and limits, as a page of
/// Markdown.
std::string field_reference();

}  // namespace lockstep::app
