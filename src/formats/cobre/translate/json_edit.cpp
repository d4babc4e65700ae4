#include "formats/cobre/translate/json_edit.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace lockstep::formats::cobre::translate {

namespace {

io::Json::Object::iterator find_member(io::Json::Object& members, std::string_view key) {
    return std::find_if(
        members.begin(), members.end(), [key](const auto& m) { return m.first == key; });
}

void prune_object(io::Json::Object& members, const io::Json& schema) {
    const io::Json* properties = schema.find("properties");
    const io::Json* others = schema.find("additionalProperties");
    const bool is_closed = properties != nullptr && others != nullptr &&
                           others->if_bool() != nullptr && !*others->if_bool();
    std::erase_if(members, [&](auto& m) {
        const io::Json* known = properties != nullptr ? properties->find(m.first) : nullptr;
        if (known == nullptr && others != nullptr && others->if_object() != nullptr) {
            known = others;
        }
        if (known != nullptr) {
            prune(m.second, *known);
        }
        return is_closed && known == nullptr && m.first != "$schema";
    });
}

}  // namespace

io::Json* member(io::Json& object, std::string_view key) {
    io::Json::Object* members = object.if_object();
    if (members == nullptr) {
        return nullptr;
    }
    const auto found = find_member(*members, key);
    return found == members->end() ? nullptr : &found->second;
}

io::Json* object_at(io::Json& object, const std::string& key) {
    if (member(object, key) == nullptr || member(object, key)->is_null()) {
        object.set(key, io::Json::object());
    }
    io::Json* found = member(object, key);
    return found->if_object() != nullptr ? found : nullptr;
}

io::Json* array_at(io::Json& object, const std::string& key) {
    if (member(object, key) == nullptr || member(object, key)->is_null()) {
        object.set(key, io::Json::array());
    }
    io::Json* found = member(object, key);
    return found->if_array() != nullptr ? found : nullptr;
}

std::optional<io::Json> take(io::Json& object, std::string_view key) {
    io::Json::Object* members = object.if_object();
    if (members == nullptr) {
        return std::nullopt;
    }
    const auto found = find_member(*members, key);
    if (found == members->end()) {
        return std::nullopt;
    }
    io::Json value = std::move(found->second);
    members->erase(found);
    return value;
}

void rename(io::Json& object, std::string_view from, std::string to) {
    if (auto* members = object.if_object()) {
        const auto found = find_member(*members, from);
        if (found != members->end()) {
            found->first = std::move(to);
        }
    }
}

void for_each_object(io::Json& root,
                     std::string_view array,
                     const std::function<void(io::Json&)>& visit) {
    io::Json* list = member(root, array);
    io::Json::Array* values = list != nullptr ? list->if_array() : nullptr;
    for (std::size_t i = 0; values != nullptr && i < values->size(); ++i) {
        if ((*values)[i].if_object() != nullptr) {
            visit((*values)[i]);
        }
    }
}

std::optional<int> integer(const io::Json& object, std::string_view key) {
    const io::Json* value = object.find(key);
    const std::int64_t* number = value != nullptr ? value->if_integer() : nullptr;
    const bool fits = number != nullptr && *number >= std::numeric_limits<int>::min() &&
                      *number <= std::numeric_limits<int>::max();
    return fits ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

void prune(io::Json& value, const io::Json& schema) {
    if (auto* members = value.if_object()) {
        prune_object(*members, schema);
    }
    const io::Json* items = schema.find("items");
    if (auto* values = value.if_array(); values != nullptr && items != nullptr) {
        for (io::Json& each : *values) {
            prune(each, *items);
        }
    }
}

}  // namespace lockstep::formats::cobre::translate
