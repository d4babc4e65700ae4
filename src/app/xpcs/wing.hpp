#pragma once

#include <filesystem>
#include <vector>

#include "app/wing.hpp"

namespace lockstep::app {

/// X-ray photon correlation spectroscopy.
Wing xpcs_wing();

/// Whether a file is a configuration of homodyne.
/// @param if_damaged  what to say of a YAML or JSON file that cannot be parsed
bool is_xpcs_configuration(const std::filesystem::path& input, bool if_damaged);

std::vector<Difference> xpcs_differences(const PartOnDisk& left, const PartOnDisk& right);
/// Of a folder with batch.json.
io::Page xpcs_batch_report(const std::filesystem::path& output);
io::Page xpcs_report(const std::filesystem::path& output);

}  // namespace lockstep::app
