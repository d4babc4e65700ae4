#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "runtime/farm/process.hpp"

namespace lockstep::runtime {

/// A worker process that works on nothing but forks others, for which everything is loaded then:
/// the farm's end of the connection to it.
class ForkServer {
public:
    /// @throws BackendError  the system starts no process
    explicit ForkServer(const std::vector<std::string>& command)
        : process_(std::make_unique<WorkerProcess>(command)) {}

    enum class State {
        starting,
        ready,
        unable,  ///< it has threads by now: a worker like others, to be taken
        gone
    };
    [[nodiscard]] State state() const noexcept { return state_; }
    [[nodiscard]] int fd() const noexcept { return process_->fd(); }
    /// Hears whether it has come up.
    State listen();
    void kill() const noexcept { process_->kill(); }
    std::string end() { return process_->end(); }
    std::unique_ptr<WorkerProcess> take() { return std::move(process_); }

    /// Another process like it with this end of a connection; none: the server is gone.
    std::optional<pid_t> fork(int connection);
    /// How one of its processes ended; none: it runs. -1: nobody knows, since the server is gone.
    std::optional<int> status_of(pid_t process);

private:
    std::optional<Frame> answer(FrameKind kind);

    std::unique_ptr<WorkerProcess> process_;
    State state_ = State::starting;
};

}  // namespace lockstep::runtime
