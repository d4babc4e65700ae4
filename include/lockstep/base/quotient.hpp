#pragma once

#include <optional>
#include <string_view>

namespace lockstep {

/// A finite number, or a quotient of two that is rounded once, which "0.333" for "1/3" is not.
/// Nothing for any other text, spaces around it included.
std::optional<double> parse_quotient(std::string_view text) noexcept;

}  // namespace lockstep
