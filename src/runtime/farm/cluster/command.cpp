#include "runtime/farm/cluster/command.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/c_strings.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{60};
constexpr std::size_t most_output = std::size_t{1} << 20;

/// A pipe whose ends other programs do not get.
class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
            throw BackendError(fmt::format("no pipe: {}", std::strerror(errno)));
        }
    }
    ~Pipe() {
        close_writing();
        ::close(ends_[0]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int reading() const noexcept { return ends_[0]; }
    [[nodiscard]] int writing() const noexcept { return ends_[1]; }
    void close_writing() noexcept {
        if (ends_[1] >= 0) {
            ::close(ends_[1]);
            ends_[1] = -1;
        }
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

pid_t spawn(const std::vector<std::string>& command, const Pipe& out, const Pipe& err) {
    auto arguments = c_strings(command);
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out.writing(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err.writing(), STDERR_FILENO);
    pid_t id = -1;
    const int error = posix_spawnp(&id, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
        throw BackendError(fmt::format("{}: {}", command.front(), std::strerror(error)));
    }
    return id;
}

/// Reads a piece. False: the other end is closed.
bool take(int descriptor, std::string& text) {
    std::array<char, 4096> piece{};
    const auto count = ::read(descriptor, piece.data(), piece.size());
    if (count > 0 && text.size() < most_output) {
        text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

/// False: time is up.
bool drain(const Pipe& out, const Pipe& err, CommandOutcome& outcome) {
    const auto end = Clock::now() + patience;
    std::array<pollfd, 2> entries{{{out.reading(), POLLIN, 0}, {err.reading(), POLLIN, 0}}};
    while (entries[0].fd >= 0 || entries[1].fd >= 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) {
            return false;
        }
        ::poll(entries.data(), entries.size(), static_cast<int>(left));
        for (auto& entry : entries) {
            auto& text = &entry == entries.data() ? outcome.out : outcome.err;
            if (entry.fd >= 0 && entry.revents != 0 && !take(entry.fd, text)) {
                entry.fd = -1;
            }
        }
    }
    return true;
}

}  // namespace

CommandOutcome run_command(const std::vector<std::string>& command) {
    Pipe out;
    Pipe err;
    const pid_t id = spawn(command, out, err);
    out.close_writing();
    err.close_writing();
    CommandOutcome outcome;
    const bool has_ended = drain(out, err, outcome);
    if (!has_ended) {
        ::kill(id, SIGKILL);
    }
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    if (!has_ended) {
        throw BackendError(fmt::format("{}: no answer in {} s", command.front(), patience.count()));
    }
    outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}

}  // namespace lockstep::runtime
