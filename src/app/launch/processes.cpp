#include "app/launch/processes.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (const auto& text : texts)
        list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

/// A process group of its own, so that Ctrl-C reaches a rank once, and signals as at the start of
/// this process.
class SpawnAttributes {
public:
    SpawnAttributes() {
        sigset_t none;
        sigset_t defaults;
        sigemptyset(&none);
        sigfillset(&defaults);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &defaults);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
    [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

Ending ending_of(int rank, int status) {
    if (WIFSIGNALED(status))
        return {rank, 128 + WTERMSIG(status), WTERMSIG(status)};
    return {rank, WEXITSTATUS(status), 0};
}

}  // namespace

Processes::~Processes() {
    signal_all(SIGKILL);
    while (running() > 0)
        if (!next_ending())
            ::usleep(1000);
}

void Processes::start(const std::vector<std::string>& command,
                      const std::vector<std::string>& variables) {
    const SpawnAttributes attributes;
    pid_t pid = 0;
    const int error = posix_spawnp(&pid,
                                   command.front().c_str(),
                                   nullptr,
                                   attributes.get(),
                                   pointers(command).data(),
                                   pointers(variables).data());
    if (error != 0)
        throw IoError(
            fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)),
            IoError::Direction::read);
    pids_.push_back(pid);
}

int Processes::running() const noexcept {
    return static_cast<int>(
        std::count_if(pids_.begin(), pids_.end(), [](pid_t pid) { return pid != 0; }));
}

void Processes::signal_all(int signal) const {
    for (const auto pid : pids_)
        if (pid != 0)
            ::kill(-pid, signal);
}

std::optional<Ending> Processes::next_ending() {
    for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
        int status = 0;
        if (pids_[rank] == 0 || ::waitpid(pids_[rank], &status, WNOHANG) <= 0)
            continue;
        ::kill(-pids_[rank], SIGKILL);  // what it may have started
        pids_[rank] = 0;
        return ending_of(static_cast<int>(rank), status);
    }
    return std::nullopt;
}

}  // namespace lockstep::app
