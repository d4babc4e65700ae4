#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/rl/learn/options.hpp"

namespace lockstep::app {

/// What a server of learning tells those that come to work: enough to play what it wants played.
struct ServerTask {
    formats::rl::EnvironmentRecord environment;  ///< name, parameters and file alone
    rl::LearnOptions learn;
    std::string content;  ///< Subject::content of what the server has read
};
std::vector<std::byte> pack(const ServerTask& task);
/// @throws InputError  this is no task
ServerTask unpack_task(std::span<const std::byte> bytes);

}  // namespace lockstep::app
