#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lockstep/comm/launch.hpp"

namespace lockstep::app {

enum class OnFailure {
    carry_on,  ///< survivors of a lost rank go on without it
    restart,   ///< end the others and start all again from the newest checkpoint
    abort,     ///< end the others
};

/// Ranks on this machine.
struct LaunchRequest {
    int ranks = 1;
    comm::BackendKind backend = comm::BackendKind::shm;  ///< shm or tcp
    OnFailure on_failure = OnFailure::carry_on;
    int restarts = 3;                  ///< at most so many
    double grace_seconds = 10;         ///< from SIGTERM to SIGKILL when ranks are ended
    std::vector<std::string> command;  ///< program, looked up in PATH, and its arguments
};

/// Starts the ranks of a run, passes SIGINT and SIGTERM on to them (a second one kills them), and
/// waits for all.
///
/// The ranks find each other by environment variables (comm::choose_backend) and share the
/// terminal; what they leave behind is removed.
/// @param notice  hears of lost ranks and restarts
/// @return the exit code: 0 when all ranks, or all survivors, ended with 0; else that of the lowest
///         rank that failed, 128 + signal where a signal ended it
/// @throws UsageError  no command or a number out of range; NotBuiltError  the backend is not part
///         of this build; IoError  the program cannot be started
int launch(const LaunchRequest& request, const std::function<void(const std::string&)>& notice);

}  // namespace lockstep::app
