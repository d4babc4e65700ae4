#pragma once

#include <string>

#include "lockstep/app/run_request.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::app {

/// A request whose output is named: where none is, NAME-part in the working directory, NAME being
/// that of the environment or of the model file.
RunRequest with_output(RunRequest request, const std::string& part);

/// The first rank's text on all ranks. Collective.
void share(comm::Communicator& ranks, std::string& text);

}  // namespace lockstep::app
