#pragma once

#include <filesystem>
#include <string>

#include "lockstep/app/xpcs/analyse.hpp"

#include "common_commands.hpp"
#include "voice.hpp"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct Command;

// Commands of `lockstep xpcs`.

struct XpcsRunCommand {
    app::XpcsRequest request;
    std::string backend;
    Voice voice;
};

struct XpcsSummaryCommand {
    std::filesystem::path output_directory;
    Voice voice;
};

int execute(const XpcsRunCommand& command);
int execute(const XpcsSummaryCommand& command);

struct XpcsHandlers {
    Handler<XpcsRunCommand> run = executes<XpcsRunCommand>();
    Handler<XpcsSummaryCommand> summary = executes<XpcsSummaryCommand>();
};

/// Registers `lockstep xpcs` with its commands.
void add_xpcs(CLI::App& parent, Command& result, const XpcsHandlers& handlers);

}  // namespace lockstep::cli
