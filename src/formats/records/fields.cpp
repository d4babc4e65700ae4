#include "formats/records/fields.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "lockstep/base/number.hpp"

namespace lockstep::formats::records {

namespace {

std::optional<Date> parse_date(std::string_view text) {
    const bool shaped = text.size() == 10 && text[0] != '-' && text[4] == '-' && text[7] == '-' &&
                        text[5] != '-' && text[8] != '-';
    if (!shaped) {
        return std::nullopt;
    }
    const auto year = parse_number<int>(text.substr(0, 4));
    const auto month = parse_number<int>(text.substr(5, 2));
    const auto day = parse_number<int>(text.substr(8, 2));
    if (!year || !month || !day) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    return date.ok() ? std::optional<Date>(date) : std::nullopt;
}

template <typename T>
void check_range(const ValueAt& at, T value, const Range& range) {
    if (!range.holds(static_cast<double>(value))) {
        at.wrong(out_of_range(static_cast<double>(value), range));
    }
}

}  // namespace

void FileReport::add(ProblemKind kind, int line, std::string entity, std::string message) const {
    problems_.add(kind,
                  line > 0 ? fmt::format("{}:{}", file_, line) : file_,
                  std::move(entity),
                  std::move(message));
}

std::string to_string(const Place& place) {
    if (place.parent == nullptr) {
        return {};
    }
    std::string text = to_string(*place.parent);
    if (place.index >= 0) {
        return text + fmt::format("[{}]", place.index);
    }
    return text + (text.empty() ? "" : ".") + std::string(place.key);
}

void ValueAt::wrong(std::string message) const {
    report.add(ProblemKind::schema_violation, value.line(), to_string(place), std::move(message));
}

void ValueAt::wrong_type(std::string_view expected) const {
    wrong(fmt::format("expected {}, found {}", expected, value.type_name()));
}

const io::Json* ObjectReader::take(std::string_view key, Presence presence) {
    known_.push_back(key);
    const io::Json* value = at_.value.find(key);
    if (value == nullptr && presence == Presence::required) {
        at_.wrong(fmt::format("missing key \"{}\"", key));
    }
    return value;
}

void ObjectReader::replaced(std::string_view key, std::string_view advice) {
    if (at_.value.find(key) != nullptr) {
        known_.push_back(key);
        at_.wrong(fmt::format("key \"{}\" is of an older format: {}", key, advice));
    }
}

void ObjectReader::finish() const {
    for (const auto& [key, value] : *at_.value.if_object()) {
        if (key == "$schema" || std::find(known_.begin(), known_.end(), key) != known_.end()) {
            continue;
        }
        at_.report.add(ProblemKind::schema_violation,
                       value.line(),
                       to_string(at_.place),
                       fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, known_)));
    }
}

void read_value(const ValueAt& at, bool& out, Range) {
    if (const bool* value = at.value.if_bool()) {
        out = *value;
    } else {
        at.wrong_type("boolean");
    }
}

void read_value(const ValueAt& at, std::int64_t& out, Range range) {
    range.largest_magnitude =
        std::numeric_limits<double>::infinity();  // ids and counts have no unit
    if (const std::int64_t* value = at.value.if_integer()) {
        check_range(at, *value, range);
        out = *value;
    } else {
        at.wrong_type("integer");
    }
}

void read_value(const ValueAt& at, int& out, Range range) {
    std::int64_t wide = 0;
    read_value(at, wide, range);
    out = static_cast<int>(wide);
    if (out != wide) {
        at.wrong(fmt::format("{} does not fit 32 bits", wide));
    }
}

void read_value(const ValueAt& at, double& out, Range range) {
    if (const auto value = at.value.if_number()) {
        check_range(at, *value, range);
        out = *value;
    } else {
        at.wrong_type("number");
    }
}

void read_value(const ValueAt& at, std::string& out, Range) {
    if (const std::string* value = at.value.if_string()) {
        out = *value;
    } else {
        at.wrong_type("string");
    }
}

void read_value(const ValueAt& at, Date& out, Range) {
    const std::string* text = at.value.if_string();
    if (text == nullptr) {
        at.wrong_type("date");
    } else if (const auto date = parse_date(*text)) {
        out = *date;
    } else {
        at.wrong(fmt::format("\"{}\" is not a date (YYYY-MM-DD)", *text));
    }
}

void read_value(const ValueAt& at, io::Json& out, Range) {
    out = at.value;
}

std::ptrdiff_t read_choice(const ValueAt& at, const std::vector<std::string_view>& names) {
    const std::string* text = at.value.if_string();
    if (text == nullptr) {
        at.wrong_type("string");
        return -1;
    }
    const auto found = std::find(names.begin(), names.end(), *text);
    if (found != names.end()) {
        return found - names.begin();
    }
    at.wrong(fmt::format("\"{}\" is not allowed: must be \"{}\"{}",
                         *text,
                         fmt::join(names, "\", \""),
                         did_you_mean(*text, names)));
    return -1;
}

}  // namespace lockstep::formats::records
