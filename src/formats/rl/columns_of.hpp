#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::formats::rl {

/// The values of a column of a file.
/// @throws InputError  the column is missing or of another type
template <typename T>
const std::vector<T>& column(const io::Table& table,
                             std::string_view name,
                             const std::string& file) {
    const io::Column* found = table.find(name);
    const auto* values = found == nullptr ? nullptr : std::get_if<std::vector<T>>(&found->values);
    if (values == nullptr) {
        throw InputError(fmt::format("{}: column {} is missing or of another type", file, name));
    }
    return *values;
}

}  // namespace lockstep::formats::rl
