#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::app {

/// A case from its directory to a problem that an engine takes.
struct Prepared {
    formats::cobre::CaseFacts input;
    sddp::Problem problem;
    std::vector<std::pair<std::string, double>> setup_seconds;  ///< (phase, seconds)
};

/// Mistakes go into `problems`; when it has errors the result must not be used.
/// @throws IoError  the directory is missing or unreadable
Prepared prepare(const std::filesystem::path& directory,
                 const std::vector<formats::Setting>& settings,
                 Problems& problems);

/// What will be simulated are scenarios of one's own: the years of the record where `from` is
/// "history", else those of that folder; each of them once. Mistakes go into `problems`.
void take_scenarios(const std::string& from, Prepared& prepared, Problems& problems);

/// Name of a case: that of its directory.
std::string case_name(const std::filesystem::path& directory);

/// "stage 3 (2018-04-01)" by index, with the id of the input.
std::string stage_name(const sddp::Calendar& calendar, int stage);

}  // namespace lockstep::app
