#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::io {

/// Bytes of the first code point of a non-empty text: 1 to 4, or 0 when it does not begin with
/// well-formed UTF-8 (overlong forms, surrogates and values over U+10FFFF are not).
std::size_t utf8_length(std::string_view text) noexcept;

}  // namespace lockstep::io
