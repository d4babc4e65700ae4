#include "formats/mdp/header.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/base/quotient.hpp"

namespace lockstep::formats::mdp {
namespace {

constexpr std::string_view format_name = "lockstep-mdp";
constexpr std::int64_t format_version = 1;

void wrong(const io::Json& json, std::string_view member, std::string what, Faults& faults) {
    faults.add(ProblemKind::schema_violation, json.line(), std::string(member), std::move(what));
}

void check_members(const io::Json& json, Faults& faults) {
    const std::vector<std::string_view> known{
        "format", "version", "about", "gamma", "time_limit", "states", "actions", "start", "rows"};
    for (const auto& [key, value] : *json.if_object()) {
        if (std::find(known.begin(), known.end(), key) == known.end() && key != "$schema") {
            wrong(value,
                  "",
                  fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, known)),
                  faults);
        }
    }
}

void check_format(const io::Json& json, Faults& faults) {
    const io::Json* format = json.find("format");
    const std::string* name = format == nullptr ? nullptr : format->if_string();
    if (name == nullptr || *name != format_name) {
        wrong(format == nullptr ? json : *format,
              "format",
              fmt::format("must be \"{}\"", format_name),
              faults);
    }
    const io::Json* version = json.find("version");
    const std::int64_t* number = version == nullptr ? nullptr : version->if_integer();
    if (number == nullptr || *number != format_version) {
        wrong(version == nullptr ? json : *version,
              "version",
              fmt::format("must be {}, which is what this program reads", format_version),
              faults);
    }
}

void read_gamma(const io::Json& json, Draft& draft, Faults& faults) {
    const auto gamma = real(json, "gamma", "", faults);
    if (gamma && !(*gamma >= 0 && *gamma <= 1)) {
        wrong(json, "gamma", fmt::format("{} must be 0 to 1", *gamma), faults);
    }
    draft.gamma = gamma;
}

void read_time_limit(const io::Json& json, Draft& draft, Faults& faults) {
    const std::int64_t* limit = json.if_integer();
    if (limit == nullptr || *limit < 1) {
        wrong(json, "time_limit", "must be an integer of at least 1", faults);
        return;
    }
    draft.time_limit = *limit;
}

std::vector<std::string> names_in(const io::Json& json, std::string_view member, Faults& faults) {
    std::vector<std::string> names;
    std::unordered_set<std::string_view> seen;
    for (const io::Json& element : *json.if_array()) {
        const std::string* name = element.if_string();
        if (name == nullptr || name->empty()) {
            wrong(element, member, "a name is a text that is not empty", faults);
        } else if (!seen.insert(*name).second) {
            wrong(element, member, fmt::format("\"{}\" stands there twice", *name), faults);
        } else {
            names.push_back(*name);
        }
    }
    return names;
}

void read_numbering(const io::Json& json,
                    std::string_view member,
                    Numbering& numbering,
                    Faults& faults) {
    constexpr std::int64_t most = 2'147'483'647;
    const std::int64_t* count = json.if_integer();
    if (json.if_array() != nullptr && !json.if_array()->empty()) {
        numbering.declare(names_in(json, member, faults));
    } else if (count != nullptr && *count >= 1 && *count <= most) {
        numbering.declare(static_cast<std::int32_t>(*count));
    } else {
        wrong(json,
              member,
              fmt::format("must be how many there are (1 to {}) or the list of their names", most),
              faults);
    }
}

// One element of the list: [state, probability] or {"s": …, "p": …}.
void read_start(const io::Json& json, Draft& draft, Faults& faults) {
    const io::Json* state = json.find("s");
    const io::Json* probability = json.find("p");
    std::size_t members = json.if_object() == nullptr ? 0 : json.if_object()->size();
    if (const auto* array = json.if_array(); array != nullptr && array->size() == 2) {
        state = &array->front();
        probability = &array->back();
        members = 2;
    }
    if (state == nullptr || probability == nullptr || members != 2) {
        wrong(json, "start", "each must be [state, probability] or {\"s\": …, \"p\": …}", faults);
        return;
    }
    draft.add_start(
        json.line(), label(*state, "s", "start", faults), real(*probability, "p", "start", faults));
}

}  // namespace

void read_header(const io::Json& json, Draft& draft, Faults& faults) {
    check_members(json, faults);
    check_format(json, faults);
    if (const io::Json* gamma = json.find("gamma")) {
        read_gamma(*gamma, draft, faults);
    }
    if (const io::Json* limit = json.find("time_limit")) {
        read_time_limit(*limit, draft, faults);
    }
    if (const io::Json* states = json.find("states")) {
        read_numbering(*states, "states", draft.states, faults);
    }
    if (const io::Json* actions = json.find("actions")) {
        read_numbering(*actions, "actions", draft.actions, faults);
    }
}

void read_starts(const io::Json& json, Draft& draft, Faults& faults) {
    const io::Json* start = json.find("start");
    if (start == nullptr) {
        return;
    }
    if (start->if_array() == nullptr) {
        draft.add_start(start->line(), label(*start, "start", "", faults), 1.0);
        return;
    }
    for (const io::Json& element : *start->if_array()) {
        read_start(element, draft, faults);
    }
}

io::Json label_of(int number, const std::vector<std::string>& names) {
    return names.empty() ? io::Json(number) : io::Json(names[at(number)]);
}

io::Json header_of(const ModelFile& file) {
    const auto numbering = [](int count, const std::vector<std::string>& names) {
        return names.empty() ? io::Json(count)
                             : io::Json(io::Json::Array(names.begin(), names.end()));
    };
    io::Json json;
    json.set("format", format_name);
    json.set("version", format_version);
    if (file.gamma) {
        json.set("gamma", *file.gamma);
    }
    if (file.time_limit) {
        json.set("time_limit", *file.time_limit);
    }
    json.set("states", numbering(file.model.states(), file.state_names));
    json.set("actions", numbering(file.model.actions(), file.action_names));
    if (!file.model.starts().empty()) {
        io::Json starts = io::Json::array();
        for (const lockstep::rl::Start& start : file.model.starts()) {
            starts.push(
                io::Json::Array{label_of(start.state, file.state_names), start.probability});
        }
        json.set("start", std::move(starts));
    }
    return json;
}

Label label(const io::Json& json,
            std::string_view member,
            std::string_view entity,
            Faults& faults) {
    if (const std::int64_t* number = json.if_integer()) {
        return *number;
    }
    if (const std::string* name = json.if_string()) {
        return std::string_view(*name);
    }
    faults.add(
        ProblemKind::schema_violation,
        json.line(),
        std::string(entity),
        fmt::format("\"{}\" must be a number or a name, found {}", member, json.type_name()));
    return {};
}

std::optional<double> real(const io::Json& json,
                           std::string_view member,
                           std::string_view entity,
                           Faults& faults) {
    if (const auto number = json.if_number()) {
        return number;
    }
    const std::string* text = json.if_string();
    const auto quotient = text == nullptr ? std::nullopt : parse_quotient(*text);
    if (!quotient) {
        faults.add(ProblemKind::schema_violation,
                   json.line(),
                   std::string(entity),
                   fmt::format("\"{}\" must be a number or a text as \"1/3\", found {}",
                               member,
                               text == nullptr ? json.type_name() : "\"" + *text + "\""));
    }
    return quotient;
}

}  // namespace lockstep::formats::mdp
