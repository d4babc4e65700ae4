#include "lockstep/app/option.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/number.hpp"
#include "lockstep/base/problems.hpp"

namespace lockstep::app {

namespace {

using Text = std::string_view;

constexpr double largest_whole = 9e15;

std::string plain(Text name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

std::string joined(const std::vector<Text>& choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        text += i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
        text += choices[i];
    }
    return text;
}

std::string range(const Option& option) {
    const bool has_least = std::isfinite(option.least);
    const bool has_most = std::isfinite(option.most);
    const auto unit = option.unit.empty() ? "" : fmt::format(" {}", option.unit);
    if (option.least == above_zero && !has_most) {
        return " above 0" + unit;
    }
    if (has_least && has_most) {
        return fmt::format(" from {} to {}{}", option.least, option.most, unit);
    }
    if (has_least) {
        return fmt::format(" of {} or more{}", option.least, unit);
    }
    return has_most ? fmt::format(" of {} or less{}", option.most, unit) : unit;
}

bool is_within(const Option& option, double value) {
    return value >= option.least && value <= option.most;
}

bool is_whole(const Option& option, Text text) {
    if (const auto value = parse_number<std::int64_t>(text)) {
        return is_within(option, static_cast<double>(*value));
    }
    const auto value = parse_number<double>(text);  // "1e6"
    return value && std::abs(*value) <= largest_whole && *value == std::floor(*value) &&
           is_within(option, *value);
}

bool is_real(const Option& option, Text text) {
    const auto value = parse_number<double>(text);
    return value && std::isfinite(*value) && is_within(option, *value);
}

bool is_list_of_numbers(Text text) {
    return std::ranges::all_of(parts_of(text), [](Text part) {
        const auto value = parse_number<double>(part);
        return value && std::isfinite(*value);
    });
}

bool is_value(const Option& option, Text given) {
    using enum Option::Type;
    switch (option.type) {
        case flag:
        case off_switch:
        case boolean:
            return given == "true" || given == "false";
        case whole:
            return is_whole(option, given);
        case real:
            return is_real(option, given);
        case choice:
            return std::ranges::count(option.choices, given) > 0;
        case pair:
            return given.find('=') != Text::npos && given.find('=') > 0;
        case number:
            return is_list_of_numbers(given);
        case Option::Type::text:
        case place:
            return !given.empty();
    }
    return false;
}

}  // namespace

std::string hyphened(Text name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::vector<Text> parts_of(Text text) {
    std::vector<Text> parts;
    while (true) {
        const auto comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == Text::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

std::string allowed(const Option& option) {
    using enum Option::Type;
    switch (option.type) {
        case flag:
        case off_switch:
        case boolean:
            return "true or false";
        case whole:
            return "a whole number" + range(option);
        case real:
            return "a number" + range(option);
        case choice:
            return joined(option.choices);
        case pair:
            return "key=value";
        case number:
            return "numbers with commas between them, as 0,45,90";
        case Option::Type::text:
        case place:
            return "not empty";
    }
    return "";
}

std::string complaint(const Option& option, Text text) {
    if (is_value(option, text)) {
        return "";
    }
    return text.empty() ? std::string("must not be empty")
                        : fmt::format("'{}' must be {}", text, allowed(option));
}

namespace detail {

bool names(const Option& option, Text name) {
    const auto wanted = plain(name);
    return option.name == wanted || std::ranges::count(option.aliases, wanted) > 0;
}

void refuse_name(Text name, const std::vector<const Option*>& options) {
    std::vector<Text> candidates;
    for (const auto* option : options) {
        candidates.push_back(option->name);
        candidates.insert(candidates.end(), option->aliases.begin(), option->aliases.end());
    }
    throw InputError(
        fmt::format("there is no option {}{}", name, did_you_mean(plain(name), candidates)));
}

void require_value(const Option& option, Text text) {
    if (const auto found = complaint(option, text); !found.empty()) {
        throw InputError(fmt::format("{}: {}", option.name, found));
    }
}

}  // namespace detail

}  // namespace lockstep::app
