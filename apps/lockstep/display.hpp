#pragma once

#include <functional>
#include <string>

#include "lockstep/app/observer.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/io/json.hpp"

#include "voice.hpp"

namespace lockstep::cli {

/// How a use case of any engine ended, for the person or the program that asked.
struct Ending {
    int signal = 0;      ///< that ended the work early, else 0
    io::Json summary;    ///< for programs
    std::string text;    ///< for people
    std::string output;  ///< directory whose plots are yet to be made; empty: none
    int exit_code = 0;   ///< where no signal ended it
};

/// Runs a use case on all ranks; the first of them shows its progress and its end.
/// @return the exit code: 128 + signal where one ended the work early
int on_display(const std::string& backend,
               const Voice& voice,
               const std::function<Ending(comm::Communicator&, app::Observer&)>& use_case);

}  // namespace lockstep::cli
