#pragma once

namespace lockstep::app {

/// A loopback port that was free a moment ago. Who binds it soon after will most likely get it.
/// @throws IoError  none
int free_port();

}  // namespace lockstep::app
