#include "rl/environments/option_reader.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/number.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/base/quotient.hpp"

namespace lockstep::rl {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
    throw InputError(fmt::format("{} \"{}\": must be {}", name, value, allowed));
}

template <typename T>
T parsed(std::string_view name, std::string_view text, std::string_view allowed) {
    const auto value = parse_number<T>(text);
    if (!value) {
        refuse(name, text, allowed);
    }
    return *value;
}

double parsed_real(std::string_view name, std::string_view text) {
    const auto value = parse_quotient(text);
    if (!value) {
        refuse(name, text, "a number, or a quotient of two");
    }
    return *value;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string_view::npos;) {
        const std::size_t end = text.find(separator, at);
        parts.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
        at = end == std::string_view::npos ? end : end + 1;
    }
    return parts;
}

OptionReader::OptionReader(const EnvironmentEntry& entry, const EnvironmentOptions& options) {
    std::vector<std::string_view> names;
    for (const EnvironmentParameter& parameter : entry.parameters) {
        names.push_back(parameter.name);
        values_.emplace(parameter.name, parameter.fallback);
    }
    for (const auto& [name, value] : options) {
        const auto place = values_.find(name);
        if (place == values_.end()) {
            throw InputError(
                fmt::format("no parameter \"{}\"{} Known: {}",
                            name,
                            did_you_mean(name, names).empty() ? "." : did_you_mean(name, names),
                            fmt::join(names, ", ")));
        }
        place->second = value;
        given_.push_back(name);
    }
}

bool OptionReader::is_given(std::string_view name) const {
    return std::find(given_.begin(), given_.end(), name) != given_.end();
}

const std::string& OptionReader::text(std::string_view name) const {
    return values_.find(name)->second;
}

bool OptionReader::flag(std::string_view name) const {
    const std::string& value = text(name);
    if (value != "true" && value != "false") {
        refuse(name, value, "true or false");
    }
    return value == "true";
}

std::int32_t OptionReader::integer(std::string_view name) const {
    return parsed<std::int32_t>(name, text(name), "an integer");
}

std::int64_t OptionReader::count(std::string_view name) const {
    const auto value = parsed<std::int64_t>(name, text(name), "an integer from 0");
    if (value < 0) {
        refuse(name, text(name), "an integer from 0");
    }
    return value;
}

std::uint64_t OptionReader::seed(std::string_view name) const {
    return parsed<std::uint64_t>(name, text(name), "an integer from 0 to 2^64 - 1");
}

double OptionReader::real(std::string_view name) const {
    return parsed_real(name, text(name));
}

std::vector<double> OptionReader::reals(std::string_view name, std::size_t count) const {
    std::vector<double> values;
    for (const std::string& part : split(text(name), ',')) {
        values.push_back(parsed_real(name, part));
    }
    if (values.size() != count) {
        refuse(name, text(name), fmt::format("{} numbers with commas between", count));
    }
    return values;
}

std::vector<std::int32_t> OptionReader::integers(std::string_view name) const {
    std::vector<std::int32_t> values;
    for (const std::string& part : split(text(name), ',')) {
        values.push_back(parsed<std::int32_t>(name, part, "integers with commas between"));
    }
    return values;
}

}  // namespace lockstep::rl
