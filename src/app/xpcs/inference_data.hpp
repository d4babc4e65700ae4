#pragma once

#include <filesystem>

#include "lockstep/xpcs/sample.hpp"

namespace lockstep::app {

/// Writes draws as a netCDF-4 file in the layout InferenceData of ArviZ: the group `posterior` with
/// a variable [chain, draw] for each name, and `sample_stats` with `lp` (the log density) and, of
/// chains, `energy`, `acceptance_rate`, `n_steps`, `tree_depth`, `diverging` and `step_size`.
/// @par Source  [Kumar2019]
/// @throws IoError; NotBuiltError  this build has no HDF5
void write_inference_data(const std::filesystem::path& path, const xpcs::SampleResult& result);

}  // namespace lockstep::app
