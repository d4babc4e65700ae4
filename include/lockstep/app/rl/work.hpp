#pragma once

#include <functional>
#include <string>

#include "lockstep/comm/hub.hpp"
#include "lockstep/rl/serve.hpp"

namespace lockstep::app {

/// A worker for a server of learning.
struct WorkRequest {
    comm::HubConfig server;
    int threads = 0;  ///< 0: as many as the process may use
};

struct WorkOutcome {
    std::string environment;
    rl::RemoteWorker::Result work;
    int signal = 0;  ///< that ended the work before the server did, else 0
};

/// Plays what a server asks for until it has no more; SIGINT and SIGTERM end the work after the
/// lease under way.
/// @param told  hears in words what is about to be played
/// @throws CommError  no server; InputError  an environment that cannot be made here
WorkOutcome work_process(const WorkRequest& request,
                         const std::function<void(const std::string&)>& told);

}  // namespace lockstep::app
