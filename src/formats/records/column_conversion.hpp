#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "lockstep/io/table.hpp"

namespace lockstep::formats::records {

/// Whether a column holds integers or reals; booleans are neither.
bool is_numeric(const io::Column& column);

/// A value that another type does not have.
struct Misfit {
    std::size_t row = 0;
    std::string value;
};

/// Fills `to` with the values of `from`, each exactly what it was; absent ones are 0.
/// @pre both are numeric
/// @return the first value that `to` cannot hold
std::optional<Misfit> convert_numbers(const io::Column& from, io::Column& to);

}  // namespace lockstep::formats::records
