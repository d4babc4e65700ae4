#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "runtime/farm/frames.hpp"

namespace lockstep::runtime {

class ForkServer;

/// A worker process with the farm's end of the connection to it. Nothing waits but end().
class WorkerProcess {
public:
    /// @throws BackendError  the system starts no process
    explicit WorkerProcess(const std::vector<std::string>& command);
    /// Forked by a server that is ready, which outlives it.
    /// @throws BackendError  it is gone
    explicit WorkerProcess(std::shared_ptr<ForkServer> server);
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
    /// A frame without content, and a descriptor along with it. Nothing may be left to send.
    void pass(FrameKind kind, int descriptor);
    void receive();
    std::optional<Frame> next() { return reader_.next(); }

    void kill() const noexcept;
    /// Hangs up, gives it a moment to go, then kills it.
    /// @returns "was killed by signal 9 (Killed)", "ended with code 1"
    std::string end();

private:
    template <typename Start>
    void connect(Start start);
    /// How it ended; none: it runs. -1: nobody knows.
    [[nodiscard]] std::optional<int> status() const;

    std::shared_ptr<ForkServer> server_;  // whose child it is; none: this process's
    pid_t id_ = -1;
    int fd_ = -1;
    Bytes output_;
    std::size_t sent_ = 0;
    FrameReader reader_;
    bool is_gone_ = false;
};

}  // namespace lockstep::runtime
