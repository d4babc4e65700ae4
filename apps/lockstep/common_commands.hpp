#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "lockstep/app/compare.hpp"
#include "lockstep/app/launch.hpp"

#include "voice.hpp"

namespace lockstep::cli {

// Commands that know no engine: what the command line says, and the function that does it. The
// result is the exit code.

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

int execute(const ReportCommand& command);
int execute(const CompareCommand& command);
int execute(const DoctorCommand& command);
int execute(const LaunchCommand& command);
int execute(const VersionCommand& command);
/// Prints the answer to a question about the command line itself.
int print_help(const std::string& text);

/// Which function a command calls.
template <typename T>
using Handler = std::function<int(const T&)>;

template <typename T>
Handler<T> executes() {
    return [](const T& command) { return execute(command); };
}

struct CommonHandlers {
    Handler<ReportCommand> report = executes<ReportCommand>();
    Handler<CompareCommand> compare = executes<CompareCommand>();
    Handler<DoctorCommand> doctor = executes<DoctorCommand>();
    Handler<LaunchCommand> launch = executes<LaunchCommand>();
    Handler<VersionCommand> version = executes<VersionCommand>();
    Handler<std::string> help = print_help;
};

}  // namespace lockstep::cli
