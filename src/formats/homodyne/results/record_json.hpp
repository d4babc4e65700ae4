#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::homodyne {

/// NaN is null, infinite numbers are texts, as homodyne writes them.
io::Json number(double value);

io::Json texts(std::span<const std::string> values);

/// "static" or "laminar_flow".
std::string_view name_of(lockstep::xpcs::Motion motion) noexcept;

void write_json(const std::filesystem::path& path, const io::Json& value);

}  // namespace lockstep::formats::homodyne
