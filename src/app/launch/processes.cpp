#include "app/launch/processes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/c_strings.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

// Signals as at the start of this process.
void reset_signals() {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (auto signal = 1; signal < NSIG; ++signal) {
        ::sigaction(signal, &standard, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A dead parent's children belong to another process.
void die_with(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(128 + SIGKILL);
    }
}

/// Tells why a new process could not become its command; closed when it has.
class StartLine {
public:
    StartLine() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
            ends_ = {-1, -1};
        }
    }
    ~StartLine() {
        for (const auto end : ends_) {
            ::close(end);
        }
    }
    StartLine(const StartLine&) = delete;
    StartLine& operator=(const StartLine&) = delete;

    [[noreturn]] void fail() const {
        const auto error = errno;
        [[maybe_unused]] const auto written = ::write(ends_[1], &error, sizeof error);
        ::_exit(127);
    }
    /// The error, 0: it runs.
    int wait() {
        ::close(std::exchange(ends_[1], -1));
        auto error = 0;
        while (::read(ends_[0], &error, sizeof error) < 0 && errno == EINTR) {
            continue;
        }
        return error;
    }

private:
    std::array<int, 2> ends_{};
};

Ending ending_of(int rank, int status) {
    if (WIFSIGNALED(status)) {
        return {rank, 128 + WTERMSIG(status), WTERMSIG(status)};
    }
    return {rank, WEXITSTATUS(status), 0};
}

}  // namespace

Processes::~Processes() {
    signal_all(SIGKILL);
    while (running() > 0) {
        if (!next_ending()) {
            ::usleep(1000);
        }
    }
}

// A group of its own, so that Ctrl-C reaches a rank once; its place in it, its death signal and the
// guardian's knowledge of it come before the command, so that no moment is missed.
void Processes::start(const std::vector<std::string>& command,
                      const std::vector<std::string>& variables) {
    const auto words = c_strings(command);
    const auto environment = c_strings(variables);
    const auto rank = static_cast<int>(pids_.size());
    const auto launcher = ::getpid();
    StartLine line;
    const auto pid = ::fork();
    if (pid == 0) {
        ::setpgid(0, 0);
        guardian_.enter(rank);
        die_with(launcher);
        reset_signals();
        ::execvpe(words.front(), words.data(), environment.data());
        line.fail();
    }
    const auto error = pid < 0 ? errno : line.wait();
    if (error == 0) {
        pids_.push_back(pid);
        return;
    }
    guardian_.leave(rank);
    ::waitpid(pid, nullptr, 0);
    throw IoError(fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)),
                  IoError::Direction::read);
}

int Processes::running() const noexcept {
    return static_cast<int>(
        std::count_if(pids_.begin(), pids_.end(), [](pid_t pid) { return pid != 0; }));
}

void Processes::signal_all(int signal) const {
    for (const auto pid : pids_) {
        if (pid != 0) {
            ::kill(-pid, signal);
        }
    }
}

// What a rank may have started goes while its number is still its own.
std::optional<Ending> Processes::next_ending() {
    for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
        siginfo_t info{};
        const auto pid = pids_[rank];
        if (pid == 0 ||
            ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) ||
            info.si_pid == 0) {
            continue;
        }
        ::kill(-pid, SIGKILL);
        guardian_.leave(static_cast<int>(rank));
        auto status = 0;
        ::waitpid(pid, &status, 0);
        pids_[rank] = 0;
        return ending_of(static_cast<int>(rank), status);
    }
    return std::nullopt;
}

}  // namespace lockstep::app
