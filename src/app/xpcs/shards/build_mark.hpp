#pragma once

#include <string>

namespace lockstep::app {

/// What processes that work on the same shards have in common: version, commit, compiler, flags.
std::string build_mark();

}  // namespace lockstep::app
