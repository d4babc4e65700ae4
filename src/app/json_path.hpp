#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/io/json.hpp"

namespace lockstep::app {

// Values of metadata by dotted path ("bounds.final_lower_bound"). Metadata of other versions may
// lack a member: the value is then missing, never an error.

/// nullptr when there is no such member.
const io::Json* value_at(const io::Json& root, std::string_view path);

double number_at(const io::Json& root, std::string_view path);         ///< NaN when missing
std::int64_t integer_at(const io::Json& root, std::string_view path);  ///< 0 when missing
std::string text_at(const io::Json& root, std::string_view path);      ///< "" when missing

}  // namespace lockstep::app
