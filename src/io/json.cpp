#include "lockstep/io/json.hpp"

#include <algorithm>
#include <array>

namespace lockstep::io {

std::optional<double> Json::if_number() const noexcept {
    if (const double* real = std::get_if<double>(&value_)) {
        return *real;
    }
    if (const std::int64_t* integer = if_integer()) {
        return static_cast<double>(*integer);
    }
    return std::nullopt;
}

const Json* Json::find(std::string_view key) const noexcept {
    if (const Object* members = if_object()) {
        for (const Member& member : *members) {
            if (member.first == key) {
                return &member.second;
            }
        }
    }
    return nullptr;
}

Json& Json::set(std::string key, Json value) {
    if (is_null()) {
        value_ = Object{};
    }
    auto& members = std::get<Object>(value_);
    const auto same = std::find_if(
        members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
    if (same == members.end()) {
        members.emplace_back(std::move(key), std::move(value));
    } else {
        same->second = std::move(value);
    }
    return *this;
}

Json& Json::append(std::string key, Json value) {
    if (is_null()) {
        value_ = Object{};
    }
    std::get<Object>(value_).emplace_back(std::move(key), std::move(value));
    return *this;
}

Json& Json::push(Json value) {
    if (is_null()) {
        value_ = Array{};
    }
    std::get<Array>(value_).push_back(std::move(value));
    return *this;
}

std::string_view Json::type_name() const noexcept {
    constexpr std::array<std::string_view, 7> names{
        "null", "boolean", "integer", "number", "string", "array", "object"};
    return names[value_.index()];
}

}  // namespace lockstep::io
