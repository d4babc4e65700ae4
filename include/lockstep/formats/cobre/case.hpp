#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::formats::cobre {

/// config.json: what to do with a case.
struct Config {
    bool training_enabled = true;
    sddp::TrainOptions train;
    bool simulation_enabled = false;
    sddp::SimulateOptions simulate;
    std::string policy_path = "./policy";  ///< relative to the output directory
    bool export_stochastic = false;
    bool export_states = false;
};

/// A case directory in the 0.18 format, every reference resolved.
struct Case {
    std::filesystem::path directory;
    Config config;
    sddp::Calendar calendar;
    sddp::System system;
    sddp::ProcessData process;
    Digest input_digest{};     ///< over the bytes of all files read, by relative path
    Digest model_digest{};     ///< the same without config.json
    Digest training_digest{};  ///< of config.json, settings included, as far as it decides a policy
};

/// A change to config.json by dotted path: ("training.selection.forward_passes", "8"). The text is
/// read as JSON, else as a string.
using Setting = std::pair<std::string, std::string>;

/// Reads a case. Every mistake of every file goes into `problems`; when it has errors the result
/// must not be used. A feature of the format that is not modelled is an error of kind
/// not_supported, "not supported yet: …".
/// @throws IoError  the directory itself is missing or unreadable
Case read_case(const std::filesystem::path& directory,
               const std::vector<Setting>& settings,
               Problems& problems);

}  // namespace lockstep::formats::cobre
