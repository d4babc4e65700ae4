#pragma once

#include <filesystem>
#include <string>

namespace lockstep::app {

/// Name of the engine that an input on disk is for, "" when none of them knows it.
std::string engine_of_input(const std::filesystem::path& input);

/// Name of the engine that has made an output directory.
/// @throws IoError  it holds no result; InputError  its metadata.json is damaged, or the engine is
///         not part of this program
std::string engine_of_output(const std::filesystem::path& output);

}  // namespace lockstep::app
