#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/io/json.hpp"

namespace lockstep::formats::cobre::translate {

// Changes to JSON of which neither keys nor types are sure: what is not there is passed over.

/// nullptr when this is no object or has no such key.
io::Json* member(io::Json& object, std::string_view key);

/// The same, made as an object or array where it is not there or null; nullptr when it is something
/// else. @pre `object` is one
io::Json* object_at(io::Json& object, const std::string& key);
io::Json* array_at(io::Json& object, const std::string& key);

/// Takes a member out; nothing when there is none.
std::optional<io::Json> take(io::Json& object, std::string_view key);

/// Gives a member another name; one of that name stays beside it.
void rename(io::Json& object, std::string_view from, std::string to);

/// visit(element) for every object in the array at a key.
void for_each_object(io::Json& root,
                     std::string_view array,
                     const std::function<void(io::Json&)>& visit);

/// An integer member, or nothing.
std::optional<int> integer(const io::Json& object, std::string_view key);

/// Takes out what a schema does not have. "$schema" stays.
void prune(io::Json& value, const io::Json& schema);

}  // namespace lockstep::formats::cobre::translate
