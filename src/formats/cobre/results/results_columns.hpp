#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::formats::cobre::out {

/// Values of a column of a type.
/// @throws InputError  no such column, or of another type
template <typename T>
std::span<const T> column(const io::Table& table, std::string_view name, const std::string& file) {
    const io::Column* found = table.find(name);
    if (found == nullptr) {
        throw InputError(fmt::format("{}: column \"{}\" is missing", file, name));
    }
    const auto* values = std::get_if<std::vector<T>>(&found->values);
    if (values == nullptr) {
        throw InputError(
            fmt::format("{}: column \"{}\" is of type {}", file, name, io::type_name(*found)));
    }
    return *values;
}

/// Values of a column of numbers of any type, NaN where absent.
/// @throws InputError  no such column, or one of texts
std::vector<double> numbers(const io::Table& table, std::string_view name, const std::string& file);

}  // namespace lockstep::formats::cobre::out
