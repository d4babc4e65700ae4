#include "formats/records/schema_writer.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/error.hpp"

namespace lockstep::formats::records {

namespace {

constexpr About about_schema{"Schema of this file, which editors look up; it is not read",
                             "../schemas/stages.schema.json"};

io::Json typed(const char* type) {
    io::Json schema = io::Json::object();
    schema.set("type", type);
    return schema;
}

io::Json with_default(io::Json schema, io::Json value) {
    schema.set("default", std::move(value));
    return schema;
}

io::Json* member(io::Json& object, std::string_view key) {
    for (auto& [name, value] : *object.if_object()) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

void erase(io::Json& object, std::string_view key) {
    std::erase_if(*object.if_object(), [&](const auto& member) { return member.first == key; });
}

/// A limit without a trailing ".0" where it is whole.
io::Json limit(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<double>(whole) == value ? io::Json(whole) : io::Json(value);
}

/// The unit's limit where the range has none of its own.
Range with_both_ends(Range range) {
    range.low = std::isfinite(range.low) ? range.low : -range.largest_magnitude;
    range.high = std::min(range.high, range.largest_magnitude);
    return range;
}

io::Json number(const char* type, Range range) {
    io::Json schema = typed(type);
    if (std::isfinite(range.low)) {
        schema.set(range.low_is_open ? "exclusiveMinimum" : "minimum", limit(range.low));
    }
    if (std::isfinite(range.high)) {
        schema.set("maximum", limit(range.high));
    }
    return schema;
}

io::Json list_of(io::Json value) {
    io::Json list = io::Json::array();
    list.push(std::move(value));
    return list;
}

void allow_null(io::Json& schema) {
    io::Json* type = member(schema, "type");
    if (type != nullptr && type->if_string() != nullptr) {
        *type = list_of(*type);
        type->push("null");
        if (io::Json* names = member(schema, "enum")) {
            names->push(io::Json());
        }
    } else if (io::Json* variants = member(schema, "anyOf")) {
        variants->push(typed("null"));
    }
}

/// JSON, or else a text.
io::Json parse_example(std::string_view text) {
    try {
        return io::parse_json(text, "example");
    } catch (const InputError&) {
        return io::Json(text);
    }
}

/// Type of a value, or of the elements of a list in any depth.
std::string_view innermost_type(const io::Json& schema) {
    if (const io::Json* items = schema.find("items")) {
        return innermost_type(*items);
    }
    const io::Json* type = schema.find("type");
    const io::Json* first =
        type != nullptr && type->if_array() != nullptr ? &type->if_array()->front() : type;
    const std::string* name = first != nullptr ? first->if_string() : nullptr;
    return name != nullptr ? std::string_view(*name) : std::string_view();
}

std::string_view unit_of(std::string_view key, const io::Json& schema, const About& about) {
    const std::string_view type = innermost_type(schema);
    const bool is_numeric = type == "number" || type == "integer";
    return about.unit.empty() && is_numeric ? unit_by_name(key) : about.unit;
}

/// Examples: those of the field, else those of its parts, else the default, else the first choice.
void set_examples(io::Json& schema, const About& about) {
    const io::Json* value = schema.find("default");
    const io::Json* names = schema.find("enum");
    if (!about.example.empty()) {
        schema.set("examples", list_of(parse_example(about.example)));
    } else if (schema.find("examples") != nullptr) {
        return;
    } else if (value != nullptr && !value->is_null()) {
        schema.set("examples", list_of(*value));
    } else if (names != nullptr) {
        schema.set("examples", list_of(names->if_array()->front()));
    } else if (innermost_type(schema) == "boolean") {
        schema.set("examples", list_of(true));
    }
}

/// Two variants of an object have the key.
void merge(io::Json& property, const io::Json& other) {
    const auto text = [](const io::Json& schema, const char* key) {
        const io::Json* value = schema.find(key);
        return value != nullptr && value->if_string() != nullptr ? *value->if_string()
                                                                 : std::string();
    };
    property.set("description",
                 text(property, "description") + ". With " + text(other, "x-with") + ": " +
                     text(other, "description"));
    property.set("x-with", text(property, "x-with") + " or " + text(other, "x-with"));
}

}  // namespace

io::Json schema_of(const bool& value, Range) {
    return with_default(typed("boolean"), value);
}

io::Json schema_of(const int& value, Range range) {
    return with_default(number("integer", range), value);
}

io::Json schema_of(const std::int64_t& value, Range range) {
    return with_default(number("integer", range), value);
}

io::Json schema_of(const std::uint32_t& value, Range range) {
    range.low = std::max(range.low, 0.0);
    return with_default(number("integer", range), static_cast<std::int64_t>(value));
}

io::Json schema_of(const double& value, Range range) {
    return with_default(number("number", with_both_ends(range)), limit(value));
}

io::Json schema_of(const std::string& value, Range) {
    return with_default(typed("string"), value);
}

io::Json schema_of(const Date&, Range) {
    io::Json schema = typed("string");
    schema.set("format", "date");
    return schema;
}

io::Json schema_of(const io::Json&, Range) {
    return with_default(io::Json::object(), io::Json());  // anything
}

io::Json choice_schema(const std::vector<std::string_view>& names, std::size_t chosen) {
    io::Json values = io::Json::array();
    for (const std::string_view name : names) {
        values.push(name);
    }
    io::Json schema = typed("string");
    schema.set("enum", std::move(values));
    return with_default(std::move(schema), names[chosen]);
}

io::Json array_schema(io::Json items) {
    io::Json schema = typed("array");
    if (const io::Json* examples = items.find("examples")) {
        schema.set("examples", list_of(*examples));
    }
    erase(items, "default");
    erase(items, "examples");
    schema.set("items", std::move(items));
    return with_default(std::move(schema), io::Json::array());
}

io::Json map_schema(io::Json values) {
    erase(values, "default");
    erase(values, "examples");
    io::Json schema = typed("object");
    schema.set("additionalProperties", std::move(values));
    return with_default(std::move(schema), io::Json::object());
}

io::Json nullable_schema(io::Json schema) {
    allow_null(schema);
    schema.set("default", io::Json());
    return schema;
}

void PropertyList::add(std::string_view key,
                       io::Json schema,
                       const About& about,
                       Presence presence) {
    io::Json property = io::Json::object();
    property.set("description", about.text);
    if (const std::string_view unit = unit_of(key, schema, about); !unit.empty()) {
        property.set("x-unit", unit);
    }
    if (!with_.empty()) {
        property.set("x-with", with_);
    }
    set_examples(schema, about);
    keep_example(key, schema, presence == Presence::required);
    if (presence == Presence::required) {
        erase(schema, "default");
    } else {
        allow_null(schema);
    }
    for (auto& [word, value] : *schema.if_object()) {
        property.set(word, std::move(value));
    }
    if (io::Json* known = member(properties_, key)) {
        merge(*known, property);
        return;
    }
    properties_.set(std::string(key), std::move(property));
    if (presence == Presence::required && with_.empty()) {
        required_.push(key);
    }
}

void PropertyList::keep_example(std::string_view key, const io::Json& schema, bool is_required) {
    const io::Json* examples = schema.find("examples");
    const io::Json* value = schema.find("default");
    if (!is_required || !is_in_example_) {
        return;
    }
    if (examples != nullptr) {
        example_.set(std::string(key), examples->if_array()->front());
    }
    if (value != nullptr) {
        default_.set(std::string(key), *value);
    }
}

void PropertyList::begin_variant(std::string_view with, bool in_example) {
    with_ = with;
    is_in_example_ = in_example;
}

io::Json PropertyList::object_schema(bool others_allowed) const {
    io::Json schema = typed("object");
    schema.set("properties", properties_);
    schema.set("required", required_);
    schema.set("additionalProperties", others_allowed);
    schema.set("default", default_);
    schema.set("examples", list_of(example_));
    return schema;
}

SchemaWriter::SchemaWriter() {
    list_.add("$schema", typed("string"), about_schema, Presence::optional);
}

}  // namespace lockstep::formats::records
