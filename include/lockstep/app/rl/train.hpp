#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/option.hpp"
#include "lockstep/app/run_request.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/hub.hpp"
#include "lockstep/formats/rl/training.hpp"

namespace lockstep::app {

/// Options of a training, also keys of its configuration files.
const std::vector<Option>& train_options();

/// What is to be learned and how.
struct TrainRequest {
    RunRequest run;  ///< input: an environment by name; settings: its parameters
    std::vector<formats::Setting> options;  ///< by names of train_options(); the last of one counts

    /// Mode server: workers come and leave there, instead of ranks that work.
    std::optional<comm::HubConfig> listen{};
};

/// The request with what a configuration file says where the input is one: YAML or JSON with the
/// keys `environment`, `parameters`, `output`, `threads`, `resume` and those of train_options().
/// What the request says itself counts more. Before ranks meet, for the file may say how.
/// @throws InputError  a key that is none, with the nearest one; a value that is none; IoError
TrainRequest with_configuration(TrainRequest request);

struct TrainOutcome {
    RunOutcome run;
    formats::rl::TrainingRecord record;  ///< on the first rank
};

/// Learns action values by play and writes OUTPUT/training. Collective.
///
/// SIGINT and SIGTERM end the work after the round under way with everything written.
/// @throws InputError  environment, parameters or options; IoError  a file cannot be written;
/// CommError  another rank failed
TrainOutcome train_process(const TrainRequest& request,
                           comm::Communicator& ranks,
                           Observer& observer);

/// Whether an output directory holds a training.
/// @throws IoError  it holds no result; InputError  its metadata.json is damaged
bool has_training(const std::filesystem::path& output);

}  // namespace lockstep::app
