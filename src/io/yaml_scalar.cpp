#include "io/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::io {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

template <std::size_t n>
bool is_one_of(std::string_view text, const std::array<std::string_view, n>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_null(std::string_view text) {
    constexpr std::array<std::string_view, 5> words = {"", "~", "null", "Null", "NULL"};
    return is_one_of(text, words);
}

std::optional<bool> boolean(std::string_view text) {
    constexpr std::array<std::string_view, 9> yes = {
        "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
    constexpr std::array<std::string_view, 9> no = {
        "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
    if (is_one_of(text, yes)) {
        return true;
    }
    return is_one_of(text, no) ? std::optional<bool>(false) : std::nullopt;
}

/// ".inf", "-.INF", ".NaN": of the value's sign `sign`.
std::optional<double> special(std::string_view text, double sign) {
    constexpr std::array<std::string_view, 3> infinite = {".inf", ".Inf", ".INF"};
    constexpr std::array<std::string_view, 3> undefined = {".nan", ".NaN", ".NAN"};
    if (is_one_of(text, infinite)) {
        return sign * std::numeric_limits<double>::infinity();
    }
    return is_one_of(text, undefined) ? std::optional(std::numeric_limits<double>::quiet_NaN())
                                      : std::nullopt;
}

/// Digits without the underscores between them; nothing when one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            plain += text[i];
        } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) ||
                   !is_digit(text[i + 1])) {
            return std::nullopt;
        }
    }
    return plain;
}

/// How far digits go from `start`.
std::size_t digits_from(std::string_view text, std::size_t start) {
    while (start < text.size() && is_digit(text[start])) {
        ++start;
    }
    return start;
}

/// "12", "12.", ".5", "1e-8", "1.5E+3", without a sign.
bool is_real(std::string_view text) {
    std::size_t place = digits_from(text, 0);
    std::size_t digits = place;
    if (place < text.size() && text[place] == '.') {
        const std::size_t end = digits_from(text, place + 1);
        digits += end - (place + 1);
        place = end;
    }
    if (digits == 0) {
        return false;
    }
    if (place < text.size() && (text[place] == 'e' || text[place] == 'E')) {
        ++place;
        place += place < text.size() && (text[place] == '+' || text[place] == '-') ? 1U : 0U;
        const std::size_t end = digits_from(text, place);
        if (end == place) {
            return false;
        }
        place = end;
    }
    return place == text.size();
}

double real(const std::string& digits, bool is_negative) {
    double value = 0;
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec != std::errc{}) {
        throw InputError(fmt::format("{} does not fit a real number of 64 bits", digits));
    }
    return is_negative ? -value : value;
}

std::optional<Json> integer(std::string_view digits, int base, bool is_negative) {
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, base);
    if (digits.empty() || result.ptr != end) {
        return std::nullopt;
    }
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (result.ec == std::errc{} && value <= largest) {
        const auto number = static_cast<std::int64_t>(value);
        return Json(is_negative ? -number : number);
    }
    if (base != 10) {
        throw InputError(fmt::format("{} does not fit an integer of 64 bits", digits));
    }
    return Json(real(std::string(digits), is_negative));
}

void refuse_leading_zero(std::string_view digits) {
    if (digits.size() > 1 && digits.front() == '0' && digits_from(digits, 0) == digits.size()) {
        throw InputError(
            fmt::format("{} is octal in YAML 1.1 and decimal in 1.2: write it without zeros in "
                        "front, or in quotes",
                        digits));
    }
}

std::optional<Json> number(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (const auto value = special(text, is_negative ? -1 : 1)) {
        return Json(*value);
    }
    const auto plain = without_underscores(text);
    if (!plain || plain->empty()) {
        return std::nullopt;
    }
    if (plain->starts_with("0x") || plain->starts_with("0o")) {
        return integer(
            std::string_view(*plain).substr(2), (*plain)[1] == 'x' ? 16 : 8, is_negative);
    }
    refuse_leading_zero(*plain);
    if (digits_from(*plain, 0) == plain->size()) {
        return integer(*plain, 10, is_negative);
    }
    return is_real(*plain) ? std::optional<Json>(real(*plain, is_negative)) : std::nullopt;
}

[[noreturn]] void not_of_type(std::string_view text, std::string_view type) {
    throw InputError(fmt::format("\"{}\" is no value of the type !!{}", text, type));
}

Json number_of_type(const std::string& text, std::string_view type) {
    const auto value = number(text);
    if (!value || (type == "int" && value->if_integer() == nullptr)) {
        not_of_type(text, type);
    }
    return type == "int" ? *value : Json(*value->if_number());
}

}  // namespace

Json resolve_plain(const std::string& text) {
    if (is_null(text)) {
        return {};
    }
    if (const auto value = boolean(text)) {
        return *value;
    }
    if (auto value = number(text)) {
        return *std::move(value);
    }
    return text;
}

Json resolve_tagged(std::string_view tag, const std::string& text) {
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    if (tag == "!") {
        return text;
    }
    const std::string_view type =
        tag.starts_with(standard) ? tag.substr(standard.size()) : std::string_view();
    if (type == "str") {
        return text;
    }
    if (type == "int" || type == "float") {
        return number_of_type(text, type);
    }
    if (type == "bool" && boolean(text)) {
        return *boolean(text);
    }
    if (type == "null" && is_null(text)) {
        return {};
    }
    if (type == "bool" || type == "null") {
        not_of_type(text, type);
    }
    throw InputError(fmt::format("the tag {} is of no type that a configuration can hold", tag));
}

}  // namespace lockstep::io
