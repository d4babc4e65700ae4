#pragma once

#include <filesystem>
#include <vector>

#include "app/wing.hpp"

namespace lockstep::app {

/// X-ray photon correlation spectroscopy.
Wing xpcs_wing();

std::vector<Difference> xpcs_differences(const PartOnDisk& left, const PartOnDisk& right);
io::Page xpcs_report(const std::filesystem::path& output);

}  // namespace lockstep::app
