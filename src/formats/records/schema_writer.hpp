#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/io/json.hpp"

#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::records {

// JSON Schema of the structs that FieldReader fills: a second visitor of the same fields(). Beside
// the words of JSON Schema a property has "x-unit", and "x-with" where it belongs to one variant of
// a tagged object. Schemas of values have "default" (what a new one holds) and "examples"; those of
// a property keep "default" only where the key may be absent.

io::Json schema_of(const bool& value, Range range);
io::Json schema_of(const int& value, Range range);
io::Json schema_of(const std::int64_t& value, Range range);
io::Json schema_of(const std::uint32_t& value, Range range);
io::Json schema_of(const double& value, Range range);
io::Json schema_of(const std::string& value, Range range);
io::Json schema_of(const Date& value, Range range);
io::Json schema_of(const io::Json& value, Range range);
/// @param chosen  position of the default
io::Json choice_schema(const std::vector<std::string_view>& names, std::size_t chosen);
io::Json array_schema(io::Json items);
io::Json map_schema(io::Json values);
/// The same with null allowed, which is the default.
io::Json nullable_schema(io::Json schema);

template <typename T>
io::Json schema_of(const std::optional<T>& value, Range range);
template <typename T>
io::Json schema_of(const std::vector<T>& value, Range range);
template <typename T>
io::Json schema_of(const std::vector<std::pair<std::string, T>>& value, Range range);
template <typename T, std::size_t n>
io::Json schema_of(const std::array<T, n>& value, Range range);
template <typename E>
requires std::is_enum_v<E> io::Json schema_of(const E& value, Range range);

/// Properties of an object or columns of a table, as they are told of.
class PropertyList {
public:
    /// @param schema  of the values, with default and examples
    void add(std::string_view key, io::Json schema, const About& about, Presence presence);
    /// What follows is there in one variant only; `in_example` tells whether in that of the
    /// example.
    void begin_variant(std::string_view with, bool in_example);

    [[nodiscard]] io::Json object_schema(bool others_allowed) const;

private:
    void keep_example(std::string_view key, const io::Json& schema, bool is_required);

    io::Json properties_ = io::Json::object();
    io::Json required_ = io::Json::array();
    io::Json example_ = io::Json::object();
    io::Json default_ = io::Json::object();
    std::string with_;
    bool is_in_example_ = true;
};

/// Describes one object.
class SchemaWriter {
public:
    SchemaWriter();

    template <typename T>
    void required(std::string_view key, T& value, const About& about, Range range = {}) {
        list_.add(key, schema_of(value, with_unit(range, key)), about, Presence::required);
    }
    template <typename T>
    void required(std::string_view key, std::optional<T>&, const About& about, Range range = {}) {
        list_.add(key, schema_of(T{}, with_unit(range, key)), about, Presence::required);
    }
    template <typename T>
    void optional(std::string_view key, T& value, const About& about, Range range = {}) {
        list_.add(key, schema_of(value, with_unit(range, key)), about, Presence::optional);
    }
    void replaced(std::string_view, std::string_view) {}
    void line(int&) {}
    /// Fields of every variant are listed; which of them must be there depends on the tag.
    bool when(bool condition, std::string_view with) {
        list_.begin_variant(with, condition);
        return true;
    }
    [[nodiscard]] io::Json schema() const { return list_.object_schema(false); }

private:
    PropertyList list_;
};

template <typename T>
requires requires(T& t, SchemaWriter& writer) {
    t.fields(writer);
}
io::Json schema_of(const T&, Range) {
    T value;
    SchemaWriter writer;
    value.fields(writer);
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
    return map_schema(schema_of(T{}, range));
}

template <typename T, std::size_t n>
io::Json schema_of(const std::array<T, n>&, Range range) {
    io::Json schema = array_schema(schema_of(T{}, range));
    schema.set("minItems", static_cast<std::int64_t>(n));
    schema.set("maxItems", static_cast<std::int64_t>(n));
    return schema;
}

template <typename E>
requires std::is_enum_v<E> io::Json schema_of(const E& value, Range) {
    std::vector<std::string_view> names;
    std::size_t chosen = 0;
    for (const auto& choice : choices(E{})) {
        chosen = choice.value == value ? names.size() : chosen;
        names.push_back(choice.name);
    }
    return choice_schema(names, chosen);
}

}  // namespace lockstep::formats::records
