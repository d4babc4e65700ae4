#pragma once

#include <optional>
#include <string_view>

#include "lockstep/formats/mdp/model_file.hpp"
#include "lockstep/io/json.hpp"

#include "formats/mdp/draft.hpp"

namespace lockstep::formats::mdp {

// What a model file says beside its rows, as members of one JSON object: the file itself, or what
// stands in the metadata of a Parquet file.

/// Reads all members but "rows", and tells those that nobody knows.
void read_header(const io::Json& json, Draft& draft, Faults& faults);

/// The starts, which name states: after the rows, since names may be first met there.
void read_starts(const io::Json& json, Draft& draft, Faults& faults);

/// The members, in the order in which they are written.
io::Json header_of(const ModelFile& file);

/// A state or action as JSON has it: its name where there are names.
io::Json label_of(int number, const std::vector<std::string>& names);

/// A label in JSON, or a fault.
Label label(const io::Json& json, std::string_view member, std::string_view entity, Faults& faults);

/// A number, or a text that is a quotient of two; else a fault.
std::optional<double> real(const io::Json& json,
                           std::string_view member,
                           std::string_view entity,
                           Faults& faults);

}  // namespace lockstep::formats::mdp
