#pragma once

#include <string>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::test {

/// Checks a value against a JSON Schema, as far as the words go that `lockstep schema` writes:
/// type, enum, properties, required, additionalProperties, items, minItems, maxItems, minimum,
/// exclusiveMinimum, maximum, anyOf. Another word that restricts is a mistake of its own.
/// @return what is wrong, each with its place; nothing when the value fits
std::vector<std::string> violations(const io::Json& schema, const io::Json& value);

/// A table as a schema of one describes it: the list of its rows, each an object.
io::Json rows_of(const io::Table& table);

}  // namespace lockstep::test
