#pragma once

#include <filesystem>
#include <string_view>

#include "lockstep/io/json.hpp"

namespace lockstep::io {

/// Parses a YAML text of one document into the value that the same JSON text would give, with the
/// lines of the YAML text. An empty document is null.
///
/// Plain scalars are read as the core schema of YAML 1.2 says, and as YAML 1.1 does where that is
/// no contradiction: `yes`, `no`, `on`, `off` are booleans, digits may have underscores, `<<`
/// merges mappings. An integer with a leading zero has another value in either, and is refused.
/// Dates and times are strings. Keys are strings, whatever they look like. Anchors and aliases are
/// copied.
///
/// Errors: repeated keys, keys that are no scalars, tags of other programs' types, a second
/// document, nesting over 200, and aliases that would make more than a million values.
/// @param name  file name for messages
/// @throws InputError  "name:line: what was found"
Json parse_yaml(std::string_view text, std::string_view name);

/// @throws IoError  missing, unreadable, not a regular file, over 16 MiB; InputError as parse_yaml
Json read_yaml(const std::filesystem::path& path);

}  // namespace lockstep::io
