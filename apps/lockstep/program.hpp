#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

/// The whole program: parses, runs, and returns the exit code.
/// @param own_command  by which this program can be started again: {"python", "-m", "lockstep"};
///        empty: the file that this process runs
int run_program(int argc, const char* const* argv, std::vector<std::string> own_command = {});

/// As told to run_program, for processes that work for this one.
const std::vector<std::string>& own_command();

}  // namespace lockstep::cli
