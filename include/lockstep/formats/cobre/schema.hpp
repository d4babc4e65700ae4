#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::formats::cobre {

/// JSON Schema (draft 2020-12) of every file that read_case reads: path in the case, for example
/// "system/hydros.json", and schema text. That of a Parquet table describes the list of its rows,
/// an object each. They come from the tables that the reader itself goes by; which keys a variant
/// of a tagged object needs is left to the reader.
std::vector<std::pair<std::string, std::string>> schemas();

/// The same as a page of Markdown: files, fields, columns (docs/fields.md).
std::string field_reference();

}  // namespace lockstep::formats::cobre
