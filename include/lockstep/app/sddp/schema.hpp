#pragma once

#include <filesystem>
#include <vector>

namespace lockstep::app {

/// Writes a JSON Schema (draft 2020-12) of each JSON file of a case, for editors:
/// "stages.schema.json" …
/// @return the files
/// @throws IoError
std::vector<std::filesystem::path> write_schemas(const std::filesystem::path& directory);

}  // namespace lockstep::app
