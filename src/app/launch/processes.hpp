#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "app/launch/launch_guardian.hpp"

namespace lockstep::app {

/// How a process ended.
struct Ending {
    int rank = 0;
    int exit_code = 0;  ///< 128 + signal where one ended it
    int signal = 0;     ///< 0: it ended by itself
};

/// The processes of a run, each the leader of a process group of its own. They end with this one,
/// whatever ends it.
class Processes {
public:
    explicit Processes(const LaunchGuardian& guardian) : guardian_(guardian) {}
    ~Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    /// Starts the next rank.
    /// @param variables  "NAME=value", the whole environment
    /// @throws IoError  the program is not found or cannot be started
    void start(const std::vector<std::string>& command, const std::vector<std::string>& variables);

    [[nodiscard]] int running() const noexcept;
    void signal_all(int signal) const;
    /// One that has ended since the last call, without waiting.
    std::optional<Ending> next_ending();

private:
    const LaunchGuardian& guardian_;
    std::vector<pid_t> pids_;  // [ranks], 0: ended
};

}  // namespace lockstep::app
