#include "formats/mdp/json_model.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/io/json.hpp"

#include "formats/mdp/header.hpp"

namespace lockstep::formats::mdp {
namespace {

// Members of a row, in the order in which a row that is a list has them.
constexpr std::array<std::string_view, 6> members{"s", "a", "p", "next", "reward", "terminated"};

using Cells = std::array<const io::Json*, members.size()>;

void wrong(const io::Json& json, std::string entity, std::string what, Faults& faults) {
    faults.add(ProblemKind::schema_violation, json.line(), std::move(entity), std::move(what));
}

std::string name_of(std::size_t row) {
    return fmt::format("rows[{}]", row);
}

Cells cells_of_object(const io::Json& json, std::size_t row, Faults& faults) {
    Cells cells{};
    for (const auto& [key, value] : *json.if_object()) {
        const auto place = std::find(members.begin(), members.end(), key);
        if (place == members.end()) {
            wrong(value,
                  name_of(row),
                  fmt::format("unknown key \"{}\"{}",
                              key,
                              did_you_mean(key, {members.begin(), members.end()})),
                  faults);
        } else {
            cells[static_cast<std::size_t>(place - members.begin())] = &value;
        }
    }
    return cells;
}

std::optional<Cells> cells_of(const io::Json& json, std::size_t row, Faults& faults) {
    if (json.if_object() != nullptr) {
        return cells_of_object(json, row, faults);
    }
    Cells cells{};
    const auto* array = json.if_array();
    if (array == nullptr || array->size() > members.size()) {
        wrong(json,
              name_of(row),
              "must be [s, a, p, next, reward, terminated] or an object with these keys",
              faults);
        return std::nullopt;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
        cells[i] = &(*array)[i];
    }
    return cells;
}

bool are_all_there(const Cells& cells, const io::Json& json, std::size_t row, Faults& faults) {
    bool is_whole = true;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {  // the last one may be left out
        if (cells[i] == nullptr) {
            wrong(json, name_of(row), fmt::format("\"{}\" is missing", members[i]), faults);
            is_whole = false;
        }
    }
    return is_whole;
}

bool flag(const io::Json* json, const std::string& entity, Faults& faults) {
    if (json == nullptr) {
        return false;
    }
    const bool* value = json->if_bool();
    if (value == nullptr) {
        wrong(*json,
              entity,
              fmt::format("\"terminated\" must be true or false, found {}", json->type_name()),
              faults);
    }
    return value != nullptr && *value;
}

void read_row(const io::Json& json, std::size_t number, Draft& draft, Faults& faults) {
    const auto found = cells_of(json, number, faults);
    if (!found || !are_all_there(*found, json, number, faults)) {
        return;
    }
    const Cells& cells = *found;
    RawRow row{.place = json.line()};
    row.state = label(*cells[0], members[0], name_of(number), faults);
    row.action = label(*cells[1], members[1], name_of(number), faults);
    const std::string entity = in_words(row);
    row.probability = real(*cells[2], members[2], entity, faults);
    row.next = label(*cells[3], members[3], entity, faults);
    row.reward = real(*cells[4], members[4], entity, faults);
    row.terminated = flag(cells[5], entity, faults);
    draft.add_row(row);
}

void read_rows(const io::Json& json, Draft& draft, Faults& faults) {
    const io::Json* rows = json.find("rows");
    if (rows == nullptr || rows->if_array() == nullptr) {
        wrong(rows == nullptr ? json : *rows, "rows", "must be the list of rows", faults);
        return;
    }
    std::size_t number = 0;
    for (const io::Json& row : *rows->if_array()) {
        read_row(row, number++, draft, faults);
    }
}

std::string row_text(const ModelFile& file, int s, int a, const lockstep::rl::Outcome& outcome) {
    return io::to_text(io::Json::Array{label_of(s, file.state_names),
                                       label_of(a, file.action_names),
                                       outcome.probability,
                                       label_of(outcome.next, file.state_names),
                                       outcome.reward,
                                       outcome.terminated});
}

}  // namespace

void read_json_model(std::string_view text, std::string_view name, Draft& draft, Faults& faults) {
    const io::Json json = io::parse_json(text, name);
    if (json.if_object() == nullptr) {
        wrong(json, "", fmt::format("must be an object, found {}", json.type_name()), faults);
        return;
    }
    read_header(json, draft, faults);
    read_rows(json, draft, faults);
    read_starts(json, draft, faults);
}

std::string json_text(const ModelFile& file) {
    std::string text = io::to_text(header_of(file), 2);
    text.resize(text.rfind('}'));
    text.resize(text.find_last_not_of(" \n") + 1);
    text += ",\n  \"rows\": [";
    const char* separator = "\n    ";
    for (int s = 0; s < file.model.states(); ++s) {
        for (int a = 0; a < file.model.actions(); ++a) {
            for (const lockstep::rl::Outcome& outcome : file.model.outcomes(s, a)) {
                text += separator + row_text(file, s, a, outcome);
                separator = ",\n    ";
            }
        }
    }
    return text + "\n  ]\n}\n";
}

}  // namespace lockstep::formats::mdp
