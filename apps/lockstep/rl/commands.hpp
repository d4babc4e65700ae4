#pragma once

#include <string>
#include <vector>

#include "lockstep/app/rl/solve.hpp"

#include "common_commands.hpp"
#include "voice.hpp"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct Command;

// Commands of `lockstep rl`.

struct RlListCommand {
    std::string environment;  ///< empty: all there is
    Voice voice;
};

struct RlSolveCommand {
    app::SolveRequest request;
    std::string backend;
    Voice voice;
};

int execute(const RlListCommand& command);
int execute(const RlSolveCommand& command);

struct RlHandlers {
    Handler<RlListCommand> list = executes<RlListCommand>();
    Handler<RlSolveCommand> solve = executes<RlSolveCommand>();
};

/// Registers `lockstep rl` with its commands.
void add_rl(CLI::App& parent, Command& result, const RlHandlers& handlers);

/// A solution for people, one fact a line.
std::string solution_text(const app::SolveOutcome& outcome);

}  // namespace lockstep::cli
