#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::formats::cobre {

/// JSON Schema (draft 2020-12) of every JSON file that read_case reads: path in the case, for
/// example "system/hydros.json", and schema text. They come from the tables that the reader itself
/// uses; which keys a variant of a tagged object needs is left to the reader.
std::vector<std::pair<std::string, std::string>> schemas();

}  // namespace lockstep::formats::cobre
