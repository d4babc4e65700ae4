#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/io/json.hpp"

namespace lockstep::test {

/// What stands at "key/key/…".
inline const io::Json& member(const io::Json& json, std::initializer_list<std::string_view> keys) {
    const io::Json* place = &json;
    for (const std::string_view key : keys) {
        place = place->find(key);
        if (place == nullptr) {
            throw std::out_of_range("no member " + std::string(key));
        }
    }
    return *place;
}

inline double number(const io::Json& json) {
    return json.if_number().value();
}

inline std::int64_t integer(const io::Json& json) {
    return json.if_integer() != nullptr ? *json.if_integer()
                                        : static_cast<std::int64_t>(number(json));
}

inline const io::Json::Array& array(const io::Json& json) {
    return *json.if_array();
}

inline std::vector<double> numbers(const io::Json& json) {
    std::vector<double> values;
    for (const io::Json& value : array(json)) {
        values.push_back(number(value));
    }
    return values;
}

}  // namespace lockstep::test
