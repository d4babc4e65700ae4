#include "runtime/farm/process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/c_strings.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/runtime/task_farm.hpp"

#include "runtime/farm/fork_server.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;
constexpr int moments = 1000;  // of a millisecond, for a process that was hung up on

// Nothing of the farm's own comes along but the connection: its standard output is for results, its
// signals are its own.
pid_t spawn(const std::vector<std::string>& command, int connection) {
    auto arguments = c_strings(command);
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, connection, task_descriptor);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t id = -1;
    const int error =
        posix_spawnp(&id, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
        throw BackendError(
            fmt::format("worker process {}: {}", command.front(), std::strerror(error)));
    }
    return id;
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
    }
    return fmt::format("ended with code {}", WEXITSTATUS(status));
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
    connect([&](int connection) { return spawn(command, connection); });
}

WorkerProcess::WorkerProcess(std::shared_ptr<ForkServer> server) : server_(std::move(server)) {
    connect([&](int connection) {
        const auto id = server_->fork(connection);
        if (!id) {
            throw BackendError("worker process: the one that forks others is gone");
        }
        return *id;
    });
}

template <typename Start>
void WorkerProcess::connect(Start start) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw BackendError(fmt::format("worker process: no connection: {}", std::strerror(errno)));
    }
    fd_ = ends[0];
    fcntl(fd_, F_SETFL, O_NONBLOCK);
    try {
        id_ = start(ends[1]);
    } catch (...) {
        close(ends[0]);
        close(ends[1]);
        throw;
    }
    close(ends[1]);
}

WorkerProcess::~WorkerProcess() {
    if (id_ > 0) {
        kill();
        end();
    }
}

void WorkerProcess::say(FrameKind kind, std::span<const std::byte> payload) {
    const auto frame = frame_bytes(kind, payload);
    output_.insert(output_.end(), frame.begin(), frame.end());
    send();
}

void WorkerProcess::send() {
    while (has_output() && !is_gone_) {
        const auto count = ::send(fd_, &output_[sent_], output_.size() - sent_, MSG_NOSIGNAL);
        if (count < 0) {
            is_gone_ = errno != EAGAIN && errno != EINTR;
            return;
        }
        sent_ += static_cast<std::size_t>(count);
    }
    if (!has_output()) {
        output_.clear();
        sent_ = 0;
    }
}

void WorkerProcess::pass(FrameKind kind, int descriptor) {
    auto frame = frame_bytes(kind, {});
    iovec bytes{frame.data(), frame.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptor)> space{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    is_gone_ = ::sendmsg(fd_, &message, MSG_NOSIGNAL) != std::ssize(frame) || is_gone_;
}

void WorkerProcess::receive() {
    Bytes chunk(chunk_bytes);
    for (;;) {
        const auto count = ::recv(fd_, chunk.data(), chunk.size(), 0);
        if (count <= 0) {
            is_gone_ = is_gone_ || count == 0 || (errno != EAGAIN && errno != EINTR);
            return;
        }
        reader_.add(std::span(chunk).first(static_cast<std::size_t>(count)));
    }
}

// The number of a process that a server reaped no more may be another one's.
void WorkerProcess::kill() const noexcept {
    if (!server_ || server_->state() != ForkServer::State::gone) {
        ::kill(id_, SIGKILL);
    }
}

std::optional<int> WorkerProcess::status() const {
    if (server_) {
        return server_->status_of(id_);
    }
    int status = -1;
    const auto ended = waitpid(id_, &status, WNOHANG);
    return ended == 0 ? std::nullopt : std::optional(ended == id_ ? status : -1);
}

std::string WorkerProcess::end() {
    close(fd_);
    auto ended = status();
    for (int i = 0; i < moments && !ended; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ended = status();
    }
    if (!ended) {
        kill();
    }
    while (!ended) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ended = status();
    }
    const auto what =
        fmt::format("worker process {} {}", id_, *ended < 0 ? "ended" : how_it_ended(*ended));
    id_ = -1;
    return what;
}

}  // namespace lockstep::runtime
