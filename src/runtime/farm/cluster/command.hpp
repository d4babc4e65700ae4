#pragma once

#include <string>
#include <vector>

namespace lockstep::runtime {

/// What a program that has ended left.
struct CommandOutcome {
    int exit_code = 0;  ///< 128 + signal when a signal ended it
    std::string out{};
    std::string err{};
};

/// Runs a program, found by PATH, without a shell and without input, and waits for its end.
/// @throws BackendError  it does not start, or has not ended after a minute
CommandOutcome run_command(const std::vector<std::string>& command);

}  // namespace lockstep::runtime
