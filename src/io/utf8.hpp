#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::io {

/// Bytes of the first code point of a non-empty text: 1 to 4, or 0 when it does not begin with
/// well-formed UTF-8 (overlong forms, surrogates and values over U+10FFFF are not).
std::size_t utf8_length(std::string_view text) noexcept;

/// The first code point of a text that utf8_length takes.
std::uint32_t utf8_code(std::string_view text) noexcept;

/// @returns whether `code` is a code point that UTF-8 has; if not, `text` is left as it is
bool append_utf8(std::uint32_t code, std::string& text);

}  // namespace lockstep::io
