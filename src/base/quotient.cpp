#include "lockstep/base/quotient.hpp"

#include <cmath>

#include "lockstep/base/number.hpp"

namespace lockstep {
std::optional<double> parse_quotient(std::string_view text) noexcept {
    const std::size_t bar = text.find('/');
    const auto above = parse_number<double>(text.substr(0, bar));
    const auto below = bar == std::string_view::npos ? std::optional(1.0)
                                                     : parse_number<double>(text.substr(bar + 1));
    const bool is_good = above && below && std::isfinite(*above) && std::isfinite(*below) &&
                         std::isfinite(*above / *below);
    return is_good ? std::optional(*above / *below) : std::nullopt;
}

}  // namespace lockstep
