#pragma once

#include <filesystem>

namespace lockstep::app {

/// Whether something on disk is a configuration file of a training: YAML, or JSON with the key
/// `environment`.
bool is_configuration(const std::filesystem::path& input);

}  // namespace lockstep::app
