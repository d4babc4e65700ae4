#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lockstep/io/json.hpp"

namespace lockstep::io {

/// Value of a plain scalar (one without quotes).
/// @throws InputError  it has no value that all readers of YAML agree on, or none that fits
Json resolve_plain(const std::string& text);

/// Value of a scalar whose tag says its type: "tag:yaml.org,2002:float", or "!" for text in quotes.
/// @throws InputError  the text is none of that type, or the type is unknown
Json resolve_tagged(std::string_view tag, const std::string& text);

}  // namespace lockstep::io
