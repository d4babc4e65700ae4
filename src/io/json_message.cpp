#include "io/json_message.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace lockstep::io {

namespace {

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// The text behind `marker`, empty when there is none.
std::string_view behind(std::string_view text, std::string_view marker) {
    const std::size_t place = text.find(marker);
    return place == std::string_view::npos ? std::string_view{}
                                           : text.substr(place + marker.size());
}

/// The word at `start`, whole even when the library stopped inside: "NaN", not "N".
std::string_view word_at(std::string_view text, std::size_t start) {
    std::size_t end = start;
    const auto belongs = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_+-.").find(c) != std::string_view::npos;
    };
    while (end < text.size() && belongs(text[end])) {
        ++end;
    }
    return text.substr(start, end - start);
}

/// What did not fit. Between it and the last event lie only spaces and a separator, unless a
/// separator is itself what did not fit: then it was consumed last.
std::string_view token_of(const JsonFailure& failure) {
    std::size_t start = failure.known;
    while (start + 1 < failure.reached &&
           std::string_view(" \t\r\n,:").find(failure.text[start]) != std::string_view::npos) {
        ++start;
    }
    const std::string_view word = word_at(failure.text, start);
    return word.empty() ? failure.text.substr(start, 1) : word;
}

std::string quoted(std::string_view token) {
    constexpr std::size_t longest = 40;
    if (token.size() > longest) {
        return fmt::format("'{}…'", token.substr(0, longest));
    }
    return fmt::format("'{}'", token);
}

std::string_view hint_for(std::string_view token, std::string_view context, bool inside) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), token) != words.end();
    };
    if (is_one_of({"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "-NaN", "-nan"})) {
        return " (numbers are finite; null stands for a missing one)";
    }
    if (is_one_of({"True", "False", "None", "TRUE", "FALSE", "NULL"})) {
        return " (written true, false, null)";
    }
    if (starts_with(token, "/") || starts_with(token, "#")) {
        return " (JSON has no comments)";
    }
    if (starts_with(token, "'")) {
        return " (strings stand in double quotes)";
    }
    if (inside &&
        ((token == "]" && context == "value") || (token == "}" && context == "object key"))) {
        return " (there is a comma too many before it)";
    }
    return "";
}

std::string expected_in(std::string_view context, const JsonFailure& failure) {
    const auto closing = [&](std::string_view bracket, std::string_view what) {
        const std::string where =
            failure.opened != 0 && failure.opened != failure.line
                ? fmt::format(" of the {} that begins in line {}", what, failure.opened)
                : std::string();
        return fmt::format("',' or '{}'{}", bracket, where);
    };
    if (context == "array") {
        return closing("]", "array");
    }
    if (context == "object") {
        return closing("}", "object");
    }
    if (context == "object key") {
        return "a member name in double quotes";
    }
    if (context == "object separator") {
        return "':' after the member name";
    }
    return "a value";
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string describe(const JsonFailure& failure) {
    const std::string_view syntax = behind(failure.library_message, "while parsing ");
    const std::string_view token = token_of(failure);
    if (syntax.empty()) {  // the only other failure of the library is a number over 1.8e308
        return fmt::format("number {} is larger than a real can be (about 1.8e308)", quoted(token));
    }
    const std::string_view context = syntax.substr(0, syntax.find(" - "));
    const std::string_view found = behind(syntax, " - ");
    if (starts_with(found, "invalid string") || starts_with(found, "invalid BOM")) {
        return std::string(found.substr(0, found.find("; last read")));
    }
    if (behind(found, "; expected ") == "end of input") {
        return fmt::format("found {} after the value, expected the end of the text", quoted(token));
    }
    const std::string expected = expected_in(context, failure);
    if (starts_with(found, "unexpected end of input")) {
        return fmt::format("found {}, expected {}",
                           is_blank(failure.text) ? "an empty text" : "the end of the text",
                           expected);
    }
    return fmt::format("found {}, expected {}{}",
                       quoted(token),
                       expected,
                       hint_for(token, context, failure.opened != 0));
}

}  // namespace lockstep::io
