#pragma once

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

inline io::Json written(const std::string& value) {
    return value;
}
template <typename T>
requires std::is_arithmetic_v<T> io::Json written(T value) {
    if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
        return value;
    } else {
        return static_cast<std::int64_t>(value);
    }
}
template <typename T>
requires HasFields<T> io::Json written(const T& value);
template <typename T>
io::Json written(const std::optional<T>& value);
template <typename T>
io::Json written(const std::vector<T>& values);
template <typename T>
io::Json written(const std::vector<std::pair<std::string, T>>& members);

/// Makes the JSON object that FieldReader fills the same struct from.
class FieldWriter {
public:
    template <typename T>
    void required(std::string_view key, T& value, const About&, Range = {}) {
        object_.append(std::string(key), written(value));
    }
    template <typename T>
    void optional(std::string_view key, T& value, const About& about, Range range = {}) {
        required(key, value, about, range);
    }
    io::Json take() { return std::move(object_); }

private:
    io::Json object_ = io::Json::object();
};

template <typename T>
requires HasFields<T> io::Json written(const T& value) {
    FieldWriter writer;
    T copy = value;  // fields() serves readers too, and takes no constant
    copy.fields(writer);
    return writer.take();
}

template <typename T>
io::Json written(const std::optional<T>& value) {
    return value ? written(*value) : io::Json();
}

template <typename T>
io::Json written(const std::vector<T>& values) {
    io::Json array = io::Json::array();
    for (const T& value : values) {
        array.push(written(value));
    }
    return array;
}

template <typename T>
io::Json written(const std::vector<std::pair<std::string, T>>& members) {
    io::Json object = io::Json::object();
    for (const auto& [key, value] : members) {
        object.append(key, written(value));
    }
    return object;
}

}  // namespace lockstep::formats::records
