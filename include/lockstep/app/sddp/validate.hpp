#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/numbers.hpp"

namespace lockstep::app {

/// Inflows of a plant over the study: what the fitted process makes of them, and what was observed.
struct InflowComparison {
    int hydro_id = 0;
    std::string name;
    int record_years = 0;  ///< least values of a month in the record; 0: compared with statistics
    double observed_mean_m3s = 0;  ///< means over the stages
    double observed_std_m3s = 0;
    double model_mean_m3s = 0;
    double model_std_m3s = 0;
};

/// All that is wrong with a case, or what it holds when nothing is.
struct Validation {
    Problems problems;
    /// "hydros" 147, "stages" 12 …; empty when there are errors.
    std::vector<std::pair<std::string, int>> counts;
    std::string input_digest;                ///< empty when there are errors
    std::vector<InflowComparison> inflows;   ///< plants with something to compare with
    std::vector<sddp::NumberRange> numbers;  ///< of the stage LPs
};

/// Reads a case and fits its random process without solving anything.
/// @throws IoError  the directory itself is missing or unreadable
Validation validate_case(const std::filesystem::path& directory,
                         const std::vector<formats::Setting>& settings);

}  // namespace lockstep::app
