#pragma once

#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::records {

/// Changes a configuration file by dotted paths; elements of arrays are numbers
/// ("training.stopping_rules.0.limit"). A path that the format does not know is a problem, with the
/// nearest one that it does.
/// @param file    its name, for messages
/// @param schema  of the file
void apply_settings(io::Json& config,
                    const std::string& file,
                    const io::Json& schema,
                    const std::vector<Setting>& settings,
                    Problems& problems);

}  // namespace lockstep::formats::records
