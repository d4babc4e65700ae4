#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace lockstep {

/// The number that a text is, the same in every locale: without a plus sign, base 10, all of the
/// text. Nothing for any other text, spaces around it included, and out of T's range.
template <typename T>
std::optional<T> parse_number(std::string_view text) noexcept {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, value);
    return fault == std::errc() && rest == end ? std::optional<T>(value) : std::nullopt;
}

}  // namespace lockstep
