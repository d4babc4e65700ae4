#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "runtime/farm/frames.hpp"

namespace lockstep::runtime {

/// A worker process with the farm's end of the connection to it. Nothing waits but end().
class WorkerProcess {
public:
    /// @throws BackendError  the system starts no process
    explicit WorkerProcess(const std::vector<std::string>& command);
    /// Kills it.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    [[nodiscard]] int fd() const noexcept { return fd_; }
    [[nodiscard]] bool has_output() const noexcept { return sent_ < output_.size(); }
    /// Its end of the connection is closed.
    [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }

    void say(FrameKind kind, std::span<const std::byte> payload);
    void send();
    void receive();
    std::optional<Frame> next() { return reader_.next(); }

    void kill() const noexcept;
    /// Hangs up, gives it a moment to go, then kills it.
    /// @returns "was killed by signal 9 (Killed)", "ended with code 1"
    std::string end();

private:
    pid_t id_ = -1;
    int fd_ = -1;
    Bytes output_;
    std::size_t sent_ = 0;
    FrameReader reader_;
    bool is_gone_ = false;
};

}  // namespace lockstep::runtime
