#include "app/launch/launch_guardian.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::app {

struct LaunchGuardian::Groups {
    std::atomic<bool> is_closed;                         ///< no rank may start any more
    std::array<std::atomic<pid_t>, most_ranks> leaders;  ///< by rank; 0: none
};

namespace {

static_assert(std::atomic<pid_t>::is_always_lock_free, "processes share them");

[[noreturn]] void fail(const char* what) {
    throw IoError(fmt::format("launch: no {}: {}", what, std::strerror(errno)),
                  IoError::Direction::write);
}

void* share(std::size_t bytes) {
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        fail("memory for the guardian of the ranks");
    }
    return start;
}

void wait_for_end(int line) {
    char word = 0;
    while (::read(line, &word, 1) < 0 && errno == EINTR) {
        continue;
    }
}

// Whether any is left.
bool kill_groups(std::span<const std::atomic<pid_t>> leaders) {
    auto is_any_left = false;
    for (const auto& leader : leaders) {
        if (const auto group = leader.load(); group != 0) {
            is_any_left = ::kill(-group, SIGKILL) == 0 || is_any_left;
        }
    }
    return is_any_left;
}

// What a killed process held is free a little later; one that nobody reaps seems to stay for ever.
void end_ranks(std::span<const std::atomic<pid_t>> leaders) {
    constexpr int poll_ms = 20;
    constexpr int longest_ms = 5000;
    auto is_any_left = true;
    for (auto waited_ms = 0; is_any_left && waited_ms < longest_ms; waited_ms += poll_ms) {
        is_any_left = kill_groups(leaders);
        comm::remove_abandoned_memory();
        ::poll(nullptr, 0, poll_ms);
    }
}

// Ctrl-C is the launcher's to hear, and who reads its output waits for nobody else.
void become_guardian() {
    ::setpgid(0, 0);
    for (const auto signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
        std::signal(signal, SIG_IGN);
    }
    const auto nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const auto descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(nowhere, descriptor);
    }
}

}  // namespace

LaunchGuardian::LaunchGuardian() : groups_(static_cast<Groups*>(share(sizeof(Groups)))) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail("pipe to the guardian of the ranks");
    }
    process_ = ::fork();
    if (process_ < 0) {
        fail("process for the guardian of the ranks");
    }
    if (process_ == 0) {
        ::close(ends[1]);
        become_guardian();
        wait_for_end(ends[0]);
        groups_->is_closed = true;
        end_ranks(groups_->leaders);
        ::_exit(0);
    }
    ::close(ends[0]);
    line_ = ends[1];
}

LaunchGuardian::~LaunchGuardian() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(line_);
    ::munmap(groups_, sizeof(Groups));
}

// Either this sees that no rank may start, or the guardian sees the group.
void LaunchGuardian::enter(int rank) const noexcept {
    groups_->leaders[at(rank)] = ::getpid();
    if (groups_->is_closed) {
        ::_exit(128 + SIGKILL);
    }
}

void LaunchGuardian::leave(int rank) const noexcept {
    groups_->leaders[at(rank)] = 0;
}

}  // namespace lockstep::app
