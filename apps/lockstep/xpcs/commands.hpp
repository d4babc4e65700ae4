#pragma once

#include <filesystem>
#include <string>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/app/xpcs/batch.hpp"
#include "lockstep/app/xpcs/prepare.hpp"

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
    Voice voice;
};

struct XpcsBatchCommand {
    app::BatchRequest request;
    Voice voice;
};

struct XpcsSummaryCommand {
    std::filesystem::path output_directory;
    Voice voice;
};

struct XpcsValidateCommand {
    app::XpcsRequest request;
    Voice voice;
};

struct XpcsSimulateCommand {
    app::MeasurementRequest request;
    Voice voice;
};

struct XpcsInitCommand {
    std::filesystem::path folder;
    std::string mode = "laminar_flow";
    bool is_bare = false;  ///< the configuration alone
    Voice voice;
};

struct XpcsShardWorkerCommand {
    std::filesystem::path job;
    std::filesystem::path folder;  ///< of a job array; empty: a process's connection
    int index = 0;
};

int execute(const XpcsRunCommand& command);
int execute(const XpcsShardWorkerCommand& command);
int execute(const XpcsBatchCommand& command);
int execute(const XpcsValidateCommand& command);
int execute(const XpcsSimulateCommand& command);
int execute(const XpcsInitCommand& command);
int execute(const XpcsSummaryCommand& command);

struct XpcsHandlers {
    Handler<XpcsRunCommand> run = executes<XpcsRunCommand>();
    Handler<XpcsShardWorkerCommand> shard_worker = executes<XpcsShardWorkerCommand>();
    Handler<XpcsBatchCommand> batch = executes<XpcsBatchCommand>();
    Handler<XpcsValidateCommand> validate = executes<XpcsValidateCommand>();
    Handler<XpcsSimulateCommand> simulate = executes<XpcsSimulateCommand>();
    Handler<XpcsInitCommand> init = executes<XpcsInitCommand>();
    Handler<XpcsSummaryCommand> summary = executes<XpcsSummaryCommand>();
};

/// Registers `lockstep xpcs` with its commands.
void add_xpcs(CLI::App& parent, Command& result, const XpcsHandlers& handlers);

}  // namespace lockstep::cli
