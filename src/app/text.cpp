#include "lockstep/app/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace lockstep::app {
namespace {

// Separators into the integer part of a plain decimal number.
std::string grouped(std::string number) {
    const auto first = number.find_first_of("0123456789");
    auto end = std::min(number.find('.'), number.size());
    while (end > first + 3) {
        end -= 3;
        number.insert(end, 1, ',');
    }
    return number;
}

int decimal_exponent(double value, int significant) {
    const auto text = fmt::format("{:.{}e}", value, significant - 1);
    const auto* begin = text.data() + text.find('e') + 1;
    if (*begin == '+') {
        ++begin;
    }
    int exponent = 0;
    std::from_chars(begin, text.data() + text.size(), exponent);
    return exponent;
}

}  // namespace

std::string digits(double value, int significant) {
    if (std::isnan(value)) {
        return "n/a";
    }
    if (std::isinf(value)) {
        return value > 0 ? "infinite" : "-infinite";
    }
    if (value == 0) {
        return "0";
    }
    const auto exponent = decimal_exponent(value, significant);
    if (exponent < -4 || exponent >= 15) {
        return fmt::format("{:.{}e}", value, significant - 1);
    }
    return grouped(fmt::format("{:.{}f}", value, std::max(0, significant - 1 - exponent)));
}

MoneyUnit unit_for(double dollars) {
    return std::abs(dollars) >= 1e7 ? MoneyUnit{1e6, "M$"} : MoneyUnit{};
}

std::string money(double dollars) {
    const auto unit = unit_for(dollars);
    return digits(dollars / unit.dollars) + " " + unit.name;
}

std::string count(std::int64_t value) {
    return grouped(std::to_string(value));
}

std::string duration(double seconds) {
    if (!(seconds >= 0)) {
        return "n/a";
    }
    if (seconds < 9.95) {
        return fmt::format("{:.1f} s", seconds);
    }
    const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e12) + 0.5);
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string percent(double share) {
    const auto value = 100 * share;
    if (std::isnan(value)) {
        return "n/a";
    }
    if (std::abs(value) >= 10000) {
        return digits(value, 4) + " %";
    }
    return digits(value, std::abs(value) < 1 ? 2 : 3) + " %";
}

std::string plural(std::int64_t number, const std::string& noun) {
    return count(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string stop_words(std::string reason) {
    if (reason == "graceful_shutdown") {
        return "request";
    }
    std::replace(reason.begin(), reason.end(), '_', ' ');
    return reason;
}

std::string exact(double value) {
    return fmt::format("{}", value);
}

}  // namespace lockstep::app
