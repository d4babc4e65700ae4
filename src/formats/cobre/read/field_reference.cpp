#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/formats/cobre/schema.hpp"

#include "formats/cobre/read/input/input_file.hpp"
#include "formats/records/units.hpp"

namespace lockstep::formats::cobre {

namespace {

std::string text_of(const io::Json& schema, std::string_view word) {
    const io::Json* value = schema.find(word);
    const std::string* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? *text : std::string();
}

/// Type without null, which every optional key takes.
std::string plain_type(const io::Json& schema) {
    const io::Json* type = schema.find("type");
    if (type == nullptr) {
        return schema.find("anyOf") != nullptr ? "variants" : "anything";
    }
    const io::Json& first = type->if_array() != nullptr ? type->if_array()->front() : *type;
    return *first.if_string();
}

std::string type_name(const io::Json& schema);

/// "text or object"
std::string variant_names(const io::Json& schema) {
    std::vector<std::string> names;
    for (const io::Json& variant : *schema.find("anyOf")->if_array()) {
        const std::string name = variant.find("enum") != nullptr ? "text" : type_name(variant);
        if (name != "null") {
            names.push_back(name);
        }
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

std::string type_name(const io::Json& schema) {
    const std::string type = plain_type(schema);
    if (type == "variants") {
        return variant_names(schema);
    }
    if (type == "array") {
        return "list of " + type_name(*schema.find("items"));
    }
    if (type == "string") {
        return schema.find("enum") != nullptr        ? "choice"
               : text_of(schema, "format") == "date" ? "date"
                                                     : "text";
    }
    return type == "integer" ? "whole number" : type == "boolean" ? "true, false" : type;
}

std::string code(std::string_view text) {
    return fmt::format("`{}`", text);
}

/// Names of a choice.
std::string choices_of(const io::Json& names) {
    std::vector<std::string> all;
    for (const io::Json& name : *names.if_array()) {
        if (const std::string* text = name.if_string()) {
            all.push_back(code(*text));
        }
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

std::optional<double> number_of(const io::Json& schema, std::string_view word) {
    const io::Json* value = schema.find(word);
    return value != nullptr ? value->if_number() : std::nullopt;
}

/// "≥ 0", "> 0, ≤ 1"; without the limits that every number of such a name has.
std::string limits_of(const io::Json& schema, std::string_view key) {
    const double largest = records::with_unit({}, key).largest_magnitude;
    std::vector<std::string> all;
    const auto add = [&](const char* word, const char* sign, double by_name) {
        const auto limit = number_of(schema, word);
        if (limit && *limit != by_name) {
            all.push_back(fmt::format("{} {}", sign, *limit));
        }
    };
    add("minimum", "≥", -largest);
    add("exclusiveMinimum", ">", -largest);
    add("maximum", "≤", largest);
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string allowed(const io::Json& schema, std::string_view key) {
    if (const io::Json* names = schema.find("enum")) {
        return choices_of(*names);
    }
    const auto least = number_of(schema, "minItems");
    const std::string count = least ? fmt::format("{} values", *least) : std::string();
    const io::Json* items = schema.find("items");
    const std::string limits = limits_of(items != nullptr ? *items : schema, key);
    return count.empty() || limits.empty() ? count + limits : count + ", " + limits;
}

bool has_parts(const io::Json& schema) {
    const io::Json* items = schema.find("items");
    return schema.find("properties") != nullptr || (items != nullptr && has_parts(*items));
}

std::string example_of(const io::Json& schema) {
    const io::Json* examples = schema.find("examples");
    if (examples == nullptr || has_parts(schema) || schema.find("additionalProperties")) {
        return {};
    }
    const io::Json& first = examples->if_array()->front();
    const std::string text = io::to_text(first);
    return text == "[]" || text == "\"\"" ? std::string() : code(text);
}

std::string default_of(const io::Json& schema, bool is_required) {
    const io::Json* value = schema.find("default");
    if (is_required) {
        return "needed";
    }
    return value == nullptr ? std::string() : code(io::to_text(*value));
}

/// Words of a table cell.
std::string cell(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.replace(at, 1, "\\|");
    }
    return text;
}

/// Fields of one file, a row each.
class FieldTable {
public:
    explicit FieldTable(bool is_table) : is_table_(is_table) {}

    void add_object(const io::Json& object, const std::string& prefix) {
        const io::Json* properties = object.find("properties");
        if (properties == nullptr) {
            return;
        }
        const io::Json::Array& required = *object.find("required")->if_array();
        for (const auto& [key, property] : *properties->if_object()) {
            if (key == "$schema") {
                continue;
            }
            const bool is_required =
                std::any_of(required.begin(), required.end(), [&, &name = key](const io::Json& k) {
                    return *k.if_string() == name;
                });
            add_row(prefix + key, key, property, is_required);
        }
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    void add_row(const std::string& path,
                 std::string_view key,
                 const io::Json& property,
                 bool is_required) {
        const std::string with = text_of(property, "x-with");
        text_ += fmt::format("| `{}` | {} | {} | {} | {} | {} | {}{}{} |\n",
                             path,
                             is_table_ ? text_of(property, "x-parquet-type") : type_name(property),
                             text_of(property, "x-unit"),
                             !is_required && !with.empty() && property.find("default") == nullptr
                                 ? "needed"
                                 : default_of(property, is_required),
                             cell(allowed(property, key)),
                             cell(example_of(property)),
                             with.empty() ? "" : fmt::format("With {}: ", with),
                             cell(text_of(property, "description")),
                             add_parts_of(property, path));
        text_ += pending_;
        pending_.clear();
    }

    /// Rows of what is inside, after the row of the whole; where the same parts stood before, words
    /// that say where.
    std::string add_parts_of(const io::Json& property, const std::string& path) {
        const io::Json* inner = &property;
        std::string inside = path;
        while (const io::Json* items = inner->find("items")) {
            inner = items;
            inside += "[]";
        }
        if (const io::Json* values = inner->find("additionalProperties");
            values != nullptr && values->if_object() != nullptr) {
            inner = values;
            inside += ".*";
        }
        if (inner->find("properties") == nullptr) {
            return {};
        }
        const auto [first, is_new] = shown_.emplace(io::to_text(*inner->find("properties")), path);
        if (!is_new && !first->second.empty()) {
            return fmt::format(". Fields as of `{}`", first->second);
        }
        FieldTable parts(is_table_);
        parts.shown_ = std::move(shown_);
        parts.add_object(*inner, inside + ".");
        shown_ = std::move(parts.shown_);
        pending_ += parts.text_;
        return {};
    }

    bool is_table_;
    std::string text_;
    std::string pending_;
    std::map<std::string, std::string> shown_;  ///< properties -> where they were shown
};

std::string anchor(std::string_view path) {
    std::string out;
    for (const char c : path) {
        if (c != '/' && c != '.') {
            out += c;
        }
    }
    return out;
}

std::string_view use_name(FileUse use) {
    switch (use) {
        case FileUse::required:
            return "needed";
        case FileUse::optional:
            return "optional";
        case FileUse::on_demand:
            return "by `config.json`";
        default:
            return "of an older format";
    }
}

std::string list_of_files() {
    std::string text = "| file | | holds |\n| --- | --- | --- |\n";
    for (const InputFile& file : input_files()) {
        const std::string name = file.schema
                                     ? fmt::format("[{}](#{})", file.path, anchor(file.path))
                                     : std::string(file.path);
        text += fmt::format("| {} | {} | {} |\n", name, use_name(file.use), file.holds);
    }
    return text;
}

std::string power_of_ten(double value) {
    return fmt::format("1e{:.0f}", std::log10(value));
}

std::string list_of_magnitudes() {
    std::vector<std::pair<double, std::vector<std::string>>> groups;
    for (const records::NameEnd& end : records::name_ends()) {
        auto group = std::find_if(
            groups.begin(), groups.end(), [&](const auto& g) { return g.first == end.largest; });
        if (group == groups.end()) {
            group = groups.insert(groups.end(), {end.largest, {}});
        }
        group->second.push_back(code(end.end));
    }
    std::string text = "| name ends in | magnitude |\n| --- | --- |\n";
    for (const auto& [largest, ends] : groups) {
        text += fmt::format("| {} | {} |\n", fmt::join(ends, ", "), power_of_ten(largest));
    }
    return text + fmt::format("| anything else | {} |\n", power_of_ten(records::largest_of_others));
}

std::string section(const InputFile& file) {
    FieldTable fields(file.is_table());
    const io::Json schema = file.schema();
    fields.add_object(file.is_table() ? *schema.find("items") : schema, "");
    return fmt::format(
        "\n## {}\n\n{}.\n\n| {} | type | unit | default | allowed | example | |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n{}",
        file.path,
        file.holds,
        file.is_table() ? "column" : "field",
        fields.text());
}

constexpr std::string_view introduction =
    R"(# Fields of a case

Every file that a case may hold, every field and every column. This page is made by `lockstep schema --markdown` from the tables that the
reader itself goes by, and `lockstep schema --output-dir DIR` writes the same as JSON Schemas, those of Parquet tables included (as lists of rows;
`x-unit` is the unit, `x-parquet-type` the type of a column). [formats.md](formats.md) says what holds for all of them.

## Files

)";

constexpr std::string_view reading = R"(
Under *default* stands what holds where a field is absent or `null`; *needed* fields have none. `a[].b` is the field `b` of each entry of the list `a`,
`a.*.b` that of each named entry. Columns may be of any numeric type that holds the values exactly, and other columns are ignored.

A number is finite, and at most of a magnitude that the end of its name tells; narrower limits stand under *allowed*:

)";

}  // namespace

std::string field_reference() {
    std::string text(introduction);
    text += list_of_files();
    text += reading;
    text += list_of_magnitudes();
    for (const InputFile& file : input_files()) {
        if (file.schema) {
            text += section(file);
        }
    }
    return text;
}

}  // namespace lockstep::formats::cobre
