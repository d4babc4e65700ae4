#include "lockstep/base/quotient.hpp"

#include <charconv>
#include <cmath>

namespace lockstep {
namespace {

bool parse(std::string_view text, double& value) noexcept {
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, value);
    return fault == std::errc() && rest == end && std::isfinite(value);
}

}  // namespace

std::optional<double> parse_quotient(std::string_view text) noexcept {
    const std::size_t bar = text.find('/');
    double above = 0;
    double below = 1;
    const bool is_good = parse(text.substr(0, bar), above) &&
                         (bar == std::string_view::npos || parse(text.substr(bar + 1), below));
    if (!is_good || !std::isfinite(above / below)) {
        return std::nullopt;
    }
    return above / below;
}

}  // namespace lockstep
