#pragma once

#include <string>
#include <utility>

namespace lockstep::formats {

/// A change to a configuration file by dotted path: ("training.selection.forward_passes", "8"). The
/// text is read as JSON, else as a string.
using Setting = std::pair<std::string, std::string>;

}  // namespace lockstep::formats
