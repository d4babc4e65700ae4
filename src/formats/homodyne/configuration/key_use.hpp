#pragma once

#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/io/json.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::homodyne {

/// Goes through all keys of a text: puts those that do nothing under `ignored`, those that nobody
/// knows under `notes`, and reports those that are refused.
void note_idle_keys(const io::Json& root,
                    const records::FileReport& report,
                    Configuration& configuration);

}  // namespace lockstep::formats::homodyne
