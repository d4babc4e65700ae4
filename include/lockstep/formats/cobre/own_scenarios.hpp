#pragma once

#include <filesystem>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/own_scenarios.hpp"

namespace lockstep::formats::cobre {

/// Scenarios for a study out of a folder with one or several of the files
/// external_inflow_scenarios.parquet, external_load_scenarios.parquet and
/// external_ncs_scenarios.parquet, with the columns that they have in a case. Mistakes go into
/// `problems`; none of the files is one.
/// @throws IoError  the folder is missing or unreadable
sddp::OwnScenarios read_scenarios(const std::filesystem::path& folder,
                                  const sddp::Calendar& calendar,
                                  const sddp::System& system,
                                  Problems& problems);

}  // namespace lockstep::formats::cobre
