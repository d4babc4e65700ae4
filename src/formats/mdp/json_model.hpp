#pragma once

#include <string>
#include <string_view>

#include "lockstep/formats/mdp/model_file.hpp"

#include "formats/mdp/draft.hpp"

namespace lockstep::formats::mdp {

/// Reads the text of a JSON model.
/// @throws InputError  no JSON
void read_json_model(std::string_view text, std::string_view name, Draft& draft, Faults& faults);

/// The text of a JSON model, a row a line.
std::string json_text(const ModelFile& file);

}  // namespace lockstep::formats::mdp
