#pragma once

#include <string>

#include "lockstep/app/summary.hpp"

#include "command_line.hpp"

namespace lockstep::cli {

// One function a command: calls a use case and says what came of it. The result is the exit code.

int execute(const RunCommand& command);
int execute(const SimulateCommand& command);
int execute(const ValidateCommand& command);
int execute(const SummaryCommand& command);
int execute(const InitCommand& command);
int execute(const SchemaCommand& command);
int execute(const ReportCommand& command);
int execute(const CompareCommand& command);
int execute(const DoctorCommand& command);
int execute(const LaunchCommand& command);
int execute(const VersionCommand& command);
int execute(const HelpCommand& command);

/// A summary for people, one fact a line.
std::string summary_text(const app::Summary& summary);

}  // namespace lockstep::cli
