#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/app/compare.hpp"
#include "lockstep/app/init.hpp"
#include "lockstep/app/launch.hpp"
#include "lockstep/app/run.hpp"

namespace lockstep::cli {

/// How a command tells what it does.
struct Voice {
    bool quiet = false;  ///< errors only
    bool json = false;   ///< JSON on stdout, one object a line while something runs
};

struct RunCommand {
    app::RunRequest request;
    std::string backend;  ///< of the communicator; empty: found out from the environment
    Voice voice;
};

struct SimulateCommand {
    app::SimulateRequest request;
    std::string backend;
    Voice voice;
};

struct ValidateCommand {
    std::filesystem::path case_directory;
    std::vector<formats::Setting> settings;
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
};

struct ReportCommand {
    std::filesystem::path output_directory;
    std::filesystem::path page;  ///< empty: report.html in the directory
};

struct CompareCommand {
    std::filesystem::path left;
    std::filesystem::path right;
    app::Depth depth = app::Depth::digests;
    Voice voice;
};

struct DoctorCommand {
    std::string backend;
    Voice voice;
};

struct LaunchCommand {
    app::LaunchRequest request;
};

struct VersionCommand {
    Voice voice;
};

/// A question about the command line itself; the answer is for stdout.
struct HelpCommand {
    std::string text;
};

using Command = std::variant<RunCommand,
                             SimulateCommand,
                             ValidateCommand,
                             SummaryCommand,
                             InitCommand,
                             SchemaCommand,
                             ReportCommand,
                             CompareCommand,
                             DoctorCommand,
                             LaunchCommand,
                             VersionCommand,
                             HelpCommand>;

/// @throws UsageError  what was not understood, what was meant perhaps, and how to get help
Command parse(int argc, const char* const* argv);

}  // namespace lockstep::cli
