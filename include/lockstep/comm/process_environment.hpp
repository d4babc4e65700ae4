#pragma once

#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {

/// The environment of this process, for choose_backend().
Environment process_environment();

}  // namespace lockstep::comm
