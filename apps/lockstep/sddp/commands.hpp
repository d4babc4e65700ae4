#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/app/sddp/init.hpp"
#include "lockstep/app/sddp/options.hpp"

#include "common_commands.hpp"
#include "voice.hpp"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct Command;

// Commands of `lockstep sddp`.

struct RunCommand {
    app::CaseRequest request;
    Voice voice;
};

struct SimulateCommand {
    app::SimulateRequest request;
    Voice voice;
};

struct ValidateCommand {
    app::RunRequest request;  ///< its input and settings
    Voice voice;
};

struct SummaryCommand {
    std::filesystem::path output_directory;
    Voice voice;
};

struct InitCommand {
    app::InitRequest request;
    bool list = false;  ///< tell the templates, make nothing
};

struct SchemaCommand {
    std::filesystem::path output_directory;
    bool markdown = false;  ///< print the field reference, write nothing
};

struct ConvertCommand {
    std::filesystem::path from;
    std::filesystem::path to;
};

struct PolicyCommand {
    app::PolicyQuestion question;
    Voice voice;
};

int execute(const RunCommand& command);
int execute(const SimulateCommand& command);
int execute(const ValidateCommand& command);
int execute(const SummaryCommand& command);
int execute(const InitCommand& command);
int execute(const SchemaCommand& command);
int execute(const ConvertCommand& command);
int execute(const PolicyCommand& command);

struct SddpHandlers {
    Handler<RunCommand> run = executes<RunCommand>();
    Handler<SimulateCommand> simulate = executes<SimulateCommand>();
    Handler<ValidateCommand> validate = executes<ValidateCommand>();
    Handler<SummaryCommand> summary = executes<SummaryCommand>();
    Handler<InitCommand> init = executes<InitCommand>();
    Handler<SchemaCommand> schema = executes<SchemaCommand>();
    Handler<ConvertCommand> convert = executes<ConvertCommand>();
    Handler<PolicyCommand> evaluate = executes<PolicyCommand>();
};

/// Registers `lockstep sddp` with its commands.
void add_sddp(CLI::App& parent, Command& result, const SddpHandlers& handlers);

/// A summary for people, one fact a line.
std::string summary_text(const app::Summary& summary);

}  // namespace lockstep::cli
