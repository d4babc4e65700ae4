#include "app/launch/launch_variables.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "app/launch/free_port.hpp"

extern char** environ;

namespace lockstep::app {
namespace {

// Variables of another launch must not reach the ranks of this one.
bool is_ours(std::string_view variable) {
    for (const auto* prefix : {"LOCKSTEP_SHM_",
                               "LOCKSTEP_TCP_",
                               "LOCKSTEP_COMM_BACKEND=",
                               "LOCKSTEP_ON_FAILURE=",
                               "LOCKSTEP_RESUME=",
                               "LOCKSTEP_LAUNCHER_PID=",
                               "LOCKSTEP_LAUNCH_REGISTRY="}) {
        if (variable.starts_with(prefix)) {
            return true;
        }
    }
    return false;
}

std::string random_digits() {
    std::array<std::uint64_t, 2> words{};
    if (getrandom(words.data(), sizeof words, 0) != static_cast<ssize_t>(sizeof words)) {
        throw IoError("no random bytes from the system", IoError::Direction::read);
    }
    return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

// Names are there only if ranks died before all had met, at the start or after a loss; those of the
// survivors and of regions begin with the first one.
void unlink_shared_memory(const std::string& first) {
    std::error_code code;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entries("/dev/shm", code);
         !code && entries != end(entries);
         entries.increment(code)) {
        names.push_back(fmt::format("/{}", entries->path().filename().string()));
    }
    for (const auto& name : names) {
        if (name.starts_with(first)) {
            shm_unlink(name.c_str());
        }
    }
}

}  // namespace

LaunchVariables::LaunchVariables(const LaunchRequest& request, int attempt)
    : ranks_(request.ranks) {
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (!is_ours(*variable)) {
            common_.emplace_back(*variable);
        }
    }
    const bool carries_on = request.on_failure == OnFailure::carry_on;
    common_.push_back(fmt::format("LOCKSTEP_ON_FAILURE={}", carries_on ? "continue" : "abort"));
    common_.push_back(fmt::format("LOCKSTEP_LAUNCHER_PID={}", getpid()));
    common_.push_back(fmt::format("LOCKSTEP_LAUNCH_REGISTRY={}", registry_.descriptor()));
    if (attempt > 0) {
        common_.emplace_back("LOCKSTEP_RESUME=1");
    }
    if (request.backend == comm::BackendKind::tcp) {
        prefix_ = "LOCKSTEP_TCP_";
        common_.push_back(fmt::format("LOCKSTEP_TCP_COORDINATOR=127.0.0.1:{}", free_port()));
        common_.push_back("LOCKSTEP_TCP_TOKEN=" + random_digits());
    } else {
        prefix_ = "LOCKSTEP_SHM_";
        shm_name_ = fmt::format("/lockstep-{}-{}", getpid(), random_digits().substr(0, 12));
        common_.push_back("LOCKSTEP_SHM_NAME=" + shm_name_);
    }
    common_.push_back(fmt::format("{}SIZE={}", prefix_, ranks_));
}

LaunchVariables::~LaunchVariables() {
    if (!shm_name_.empty()) {
        unlink_shared_memory(shm_name_);
    }
}

std::vector<std::string> LaunchVariables::of(int rank) const {
    auto variables = common_;
    variables.push_back(fmt::format("{}RANK={}", prefix_, rank));
    return variables;
}

}  // namespace lockstep::app
