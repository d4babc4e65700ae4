#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"

namespace lockstep::app {

/// All that is wrong with a case, or what it holds when nothing is.
struct Validation {
    Problems problems;
    /// "hydros" 147, "stages" 12 …; empty when there are errors.
    std::vector<std::pair<std::string, int>> counts;
    std::string input_digest;  ///< empty when there are errors
};

/// Reads a case and fits its random process without solving anything.
/// @throws IoError  the directory itself is missing or unreadable
Validation validate_case(const std::filesystem::path& directory,
                         const std::vector<formats::Setting>& settings);

}  // namespace lockstep::app
