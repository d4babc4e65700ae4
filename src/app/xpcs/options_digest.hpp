#pragma once

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/base/digest.hpp"

namespace lockstep::app {

/// Of all that decides the result of an analysis beside configuration and data: the command line
/// and the program.
Digest options_digest(const XpcsRequest& request);

}  // namespace lockstep::app
