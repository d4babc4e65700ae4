#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/io/json.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::records {

// JSON Schema of the structs that FieldReader fills: a second visitor of the same fields().

io::Json schema_of(const bool& example, Range range);
io::Json schema_of(const int& example, Range range);
io::Json schema_of(const std::int64_t& example, Range range);
io::Json schema_of(const double& example, Range range);
io::Json schema_of(const std::string& example, Range range);
io::Json schema_of(const Date& example, Range range);
io::Json schema_of(const io::Json& example, Range range);
io::Json choice_schema(const std::vector<std::string_view>& names);
io::Json array_schema(io::Json items);
io::Json nullable_schema(io::Json schema);

template <typename T>
io::Json schema_of(const std::optional<T>& example, Range range);
template <typename T>
io::Json schema_of(const std::vector<T>& example, Range range);
template <typename T>
io::Json schema_of(const std::vector<std::pair<std::string, T>>& example, Range range);
template <typename T, std::size_t n>
io::Json schema_of(const std::array<T, n>& example, Range range);
template <typename E>
requires std::is_enum_v<E> io::Json schema_of(const E& example, Range range);

/// Describes one object.
class SchemaWriter {
public:
    SchemaWriter();

    template <typename T>
    void required(std::string_view key, T& example, Range range = {}) {
        add(key, schema_of(example, with_unit(range, key)), !is_tagged_);
    }
    template <typename T>
    void required(std::string_view key, std::optional<T>&, Range range = {}) {
        add(key, schema_of(T{}, with_unit(range, key)), !is_tagged_);
    }
    template <typename T>
    void optional(std::string_view key, T& example, Range range = {}) {
        add(key, schema_of(example, with_unit(range, key)), false);
    }
    void replaced(std::string_view, std::string_view) {}
    void line(int&) {}
    /// Fields of every variant are listed; which of them must be there depends on the tag.
    bool when(bool) {
        is_tagged_ = true;
        return true;
    }
    [[nodiscard]] io::Json schema() const;

private:
    void add(std::string_view key, io::Json schema, bool is_required);

    io::Json properties_ = io::Json::object();
    io::Json required_ = io::Json::array();
    bool is_tagged_ = false;
};

template <typename T>
requires requires(T& t, SchemaWriter& writer) {
    t.fields(writer);
}
io::Json schema_of(const T&, Range) {
    T example;
    SchemaWriter writer;
    example.fields(writer);
    return writer.schema();
}

template <typename T>
io::Json schema_of(const std::optional<T>&, Range range) {
    return nullable_schema(schema_of(T{}, range));
}

template <typename T>
io::Json schema_of(const std::vector<T>&, Range range) {
    return array_schema(schema_of(T{}, range));
}

template <typename T>
io::Json schema_of(const std::vector<std::pair<std::string, T>>&, Range range) {
    io::Json schema = io::Json::object();
    schema.set("type", "object");
    schema.set("additionalProperties", schema_of(T{}, range));
    return schema;
}

template <typename T, std::size_t n>
io::Json schema_of(const std::array<T, n>&, Range range) {
    io::Json schema = array_schema(schema_of(T{}, range));
    schema.set("minItems", static_cast<std::int64_t>(n));
    schema.set("maxItems", static_cast<std::int64_t>(n));
    return schema;
}

template <typename E>
requires std::is_enum_v<E> io::Json schema_of(const E&, Range) {
    std::vector<std::string_view> names;
    for (const auto& choice : choices(E{})) {
        names.push_back(choice.name);
    }
    return choice_schema(names);
}

}  // namespace lockstep::formats::records
