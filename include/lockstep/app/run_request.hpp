#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/formats/records/setting.hpp"

namespace lockstep::app {

/// When checkpoints are written, where that is not left to the input.
struct CheckpointRequest {
    std::optional<int> iterations;  ///< after every so many; 0: none
    std::optional<double> minutes;  ///< and whenever the last is so long ago
};

enum class OnLoss {
    carry_on,  ///< survivors of a lost rank go on where the backend can
    abort,
};

/// What to run and how, for any engine; nothing here but `settings` changes a result.
struct RunRequest {
    std::filesystem::path input;
    std::filesystem::path output;  ///< empty: `output` in the input's directory
    int threads = 0;               ///< of each rank; 0: as many as the process may use
    std::vector<formats::Setting> settings;
    bool resume = false;  ///< go on from the newest checkpoint of the output, if there is one
    CheckpointRequest checkpoints;
    /// Written whole after every step, for Prometheus; empty: no such file.
    std::filesystem::path metrics;
    OnLoss on_loss = OnLoss::carry_on;
    std::string backend;  ///< of the communicator; empty: found out from the environment
};

/// How a run that wrote its output ended.
struct RunOutcome {
    std::filesystem::path output;
    int signal = 0;  ///< SIGINT or SIGTERM when one ended the work early on any rank, else 0
};

}  // namespace lockstep::app
