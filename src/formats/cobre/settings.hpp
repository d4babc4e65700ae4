#pragma once

#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::cobre {

/// Changes config.json by dotted paths; elements of arrays are numbers
/// ("training.stopping_rules.0.limit"). A path that the format does not know is a problem, with the
/// nearest one that it does.
void apply_settings(io::Json& config, const std::vector<Setting>& settings, Problems& problems);

}  // namespace lockstep::formats::cobre
