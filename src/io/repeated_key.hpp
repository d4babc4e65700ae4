#pragma once

#include <string>

#include "lockstep/io/json.hpp"

namespace lockstep::io {

/// What is wrong with members that have one key, and the line to tell it of.
struct RepeatedKey {
    int line = 0;
    std::string message{};  ///< empty: nothing
};

/// The alphabetically first key that an object has twice.
RepeatedKey find_repeated_key(const Json::Object& object);

}  // namespace lockstep::io
