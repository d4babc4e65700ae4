#pragma once

#include <filesystem>

namespace lockstep::app {

/// Removes a file that an earlier run has left, if it is there. An output directory may be
/// somebody's folder: only files that a run writes go.
/// @throws IoError  it cannot be removed
void remove_stale(const std::filesystem::path& file);

}  // namespace lockstep::app
