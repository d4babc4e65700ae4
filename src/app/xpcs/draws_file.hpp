#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/xpcs/sample.hpp"

namespace lockstep::app {

/// Writes draws into a folder: as `posterior.npz` with `samples` [chains, draws, names],
/// `param_names`, `log_density` and, of chains, `energy` [chains, draws]; and as
/// `posterior.nc`, which ArviZ opens, where this build has HDF5.
/// @throws IoError
void write_draws(const std::filesystem::path& folder, const xpcs::SampleResult& result);

/// The names of the files that write_draws() makes.
std::vector<std::string> draws_files();

}  // namespace lockstep::app
