#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::io {

/// A JSON value that remembers its line. Objects keep the order of the text.
class Json {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;

    Json() = default;  ///< null
    Json(bool value) : value_(value) {}
    Json(std::int64_t value) : value_(value) {}
    Json(int value) : value_(static_cast<std::int64_t>(value)) {}
    Json(double value) : value_(value) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(Array value) : value_(std::move(value)) {}
    Json(Object value) : value_(std::move(value)) {}
    static Json array() { return Json(Array{}); }
    static Json object() { return Json(Object{}); }

    [[nodiscard]] bool is_null() const noexcept {
        return std::holds_alternative<std::monostate>(value_);
    }
    [[nodiscard]] const bool* if_bool() const noexcept { return std::get_if<bool>(&value_); }
    [[nodiscard]] const std::int64_t* if_integer() const noexcept {
        return std::get_if<std::int64_t>(&value_);
    }
    /// Integers and reals alike.
    [[nodiscard]] std::optional<double> if_number() const noexcept;
    [[nodiscard]] const std::string* if_string() const noexcept {
        return std::get_if<std::string>(&value_);
    }
    [[nodiscard]] const Array* if_array() const noexcept { return std::get_if<Array>(&value_); }
    [[nodiscard]] const Object* if_object() const noexcept { return std::get_if<Object>(&value_); }
    [[nodiscard]] Array* if_array() noexcept { return std::get_if<Array>(&value_); }
    [[nodiscard]] Object* if_object() noexcept { return std::get_if<Object>(&value_); }

    /// Member of an object, nullptr when this is no object or has no such key.
    [[nodiscard]] const Json* find(std::string_view key) const noexcept;
    /// Gives a member a value, a new one at the end; this becomes an object if it was null.
    Json& set(std::string key, Json value);
    /// Adds a member at the end without looking whether there is one of this key: for readers,
    /// which check that themselves.
    Json& append(std::string key, Json value);
    /// Appends an element; this becomes an array if it was null.
    Json& push(Json value);

    [[nodiscard]] int line() const noexcept { return line_; }  ///< from 1; 0 when not from a text
    void set_line(int line) noexcept { line_ = line; }

    /// "null", "boolean", "integer", "number", "string", "array" or "object".
    [[nodiscard]] std::string_view type_name() const noexcept;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
    int line_ = 0;
};

/// Parses a text. Strict JSON (no comments, no NaN), UTF-8; repeated keys and nesting over 200 are
/// errors; integers outside 64 bits become reals.
/// @param name  file name for messages
/// @throws InputError  "name:line: what was found"
Json parse_json(std::string_view text, std::string_view name);

/// @throws IoError  missing, unreadable, a directory; InputError as parse_json
Json read_json(const std::filesystem::path& path);

/// Compact (`indent` < 0, one line) or indented text. Reals are written with the shortest digits
/// that read back to the same bits; non-finite reals become null.
std::string to_text(const Json& value, int indent = -1);

}  // namespace lockstep::io
