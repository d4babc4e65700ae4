#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

/// Folders where a plug-in may be, the likeliest first: beside the code that asks (the program, or
/// the shared object that this library is in), and where the package is installed.
std::vector<std::string> plugin_folders();

/// The plug-in as a path, empty where no folder has it.
std::filesystem::path find_plugin(const std::vector<std::string>& folders, const std::string& file);

}  // namespace lockstep
