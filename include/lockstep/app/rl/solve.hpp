#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/run_request.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/rl/solution.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::app {

/// Names of the methods of rl::solve().
std::vector<std::string_view> solve_method_names();
/// @pre  `name` is one of solve_method_names()
rl::Method solve_method(std::string_view name);

/// SolutionRecord::ending in words: "proven bounds", "iteration limit".
std::string ending_words(const std::string& ending);

/// What is to be solved, by which criterion, how precisely.
struct SolveRequest {
    RunRequest run;               ///< input: an environment by name; settings: its parameters
    rl::SolveOptions options;     ///< but for gamma
    std::optional<double> gamma;  ///< none: the model file's, else 0.99, and 1 with a horizon
};

struct SolveOutcome {
    RunOutcome run;
    formats::rl::SolutionRecord record;  ///< on the first rank
};

/// Solves a process exactly and writes OUTPUT/solution. Collective: the ranks divide the states
/// where rl::is_divisible() holds, else the first one works and the observer is told why. The same
/// bits for any number of ranks.
/// @throws InputError  no such environment, parameter or option; ModelError  states whose value is
/// infinite are named; IoError  a file cannot be written
SolveOutcome solve_process(const SolveRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer);

}  // namespace lockstep::app
