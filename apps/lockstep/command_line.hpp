#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common_commands.hpp"
#include "rl/commands.hpp"
#include "sddp/commands.hpp"
#include "voice.hpp"
#include "xpcs/commands.hpp"

namespace lockstep::cli {

/// What a command line asks for.
struct Command {
    std::function<int()> call;  ///< returns the exit code
    Voice voice;
};

/// Everything that a command line can call. Tests put their own functions here.
struct Handlers {
    CommonHandlers common;
    SddpHandlers sddp;
    RlHandlers rl;
    XpcsHandlers xpcs;
};

/// @throws InputError  no engine knows the input; IoError  the output of a run is missing;
/// UsageError
///         what was not understood, what was meant perhaps, and how to get help
Command parse(int argc, const char* const* argv, const Handlers& handlers = {});

}  // namespace lockstep::cli
