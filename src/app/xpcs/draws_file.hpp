#pragma once

#include <filesystem>

#include "lockstep/xpcs/sample.hpp"

namespace lockstep::app {

/// Writes draws as an .npz file: `samples` [chains, draws, names], `param_names`, `log_density`
/// and, of chains, `energy` [chains, draws].
/// @throws IoError
void write_draws(const std::filesystem::path& path, const xpcs::SampleResult& result);

}  // namespace lockstep::app
