#include "formats/records/schema_writer.hpp"

#include <algorithm>

namespace lockstep::formats::records {

namespace {

io::Json typed(const char* type) {
    io::Json schema = io::Json::object();
    schema.set("type", type);
    return schema;
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

}  // namespace

io::Json schema_of(const bool&, Range) {
    return typed("boolean");
}

io::Json schema_of(const int&, Range range) {
    return number("integer", range);
}

io::Json schema_of(const std::int64_t&, Range range) {
    return number("integer", range);
}

io::Json schema_of(const double&, Range range) {
    return number("number", with_both_ends(range));
}

io::Json schema_of(const std::string&, Range) {
    return typed("string");
}

io::Json schema_of(const Date&, Range) {
    io::Json schema = typed("string");
    schema.set("format", "date");
    return schema;
}

io::Json schema_of(const io::Json&, Range) {
    return io::Json::object();  // anything
}

io::Json choice_schema(const std::vector<std::string_view>& names) {
    io::Json values = io::Json::array();
    for (const std::string_view name : names) {
        values.push(name);
    }
    io::Json schema = io::Json::object();
    schema.set("enum", std::move(values));
    return schema;
}

io::Json array_schema(io::Json items) {
    io::Json schema = typed("array");
    schema.set("items", std::move(items));
    return schema;
}

io::Json nullable_schema(io::Json schema) {
    io::Json variants = io::Json::array();
    variants.push(std::move(schema));
    variants.push(typed("null"));
    io::Json both = io::Json::object();
    both.set("anyOf", std::move(variants));
    return both;
}

SchemaWriter::SchemaWriter() {
    properties_.set("$schema", typed("string"));
}

void SchemaWriter::add(std::string_view key, io::Json schema, bool is_required) {
    if (properties_.find(key) != nullptr) {
        return;  // two variants share the key
    }
    properties_.set(std::string(key), std::move(schema));
    if (is_required) {
        required_.push(key);
    }
}

io::Json SchemaWriter::schema() const {
    io::Json schema = typed("object");
    schema.set("properties", properties_);
    schema.set("required", required_);
    schema.set("additionalProperties", false);
    return schema;
}

}  // namespace lockstep::formats::records
