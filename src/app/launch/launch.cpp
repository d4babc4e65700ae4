#include "lockstep/app/launch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "app/launch/launch_guardian.hpp"
#include "app/launch/launch_variables.hpp"
#include "app/launch/processes.hpp"

namespace lockstep::app {
namespace {

/// Signals that this process waits for instead of being interrupted by them.
class BlockedSignals {
public:
    BlockedSignals() {
        sigemptyset(&set_);
        for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) {
            sigaddset(&set_, signal);
        }
        pthread_sigmask(SIG_BLOCK, &set_, &before_);
    }
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

    /// The next signal, 0 when none came within a tenth of a second.
    [[nodiscard]] int wait() const {
        const timespec tenth{0, 100'000'000};
        const int signal = sigtimedwait(&set_, nullptr, &tenth);
        return signal < 0 ? 0 : signal;
    }

private:
    sigset_t set_{};
    sigset_t before_{};
};

/// One start of all ranks.
class Attempt {
public:
    using Notice = std::function<void(const std::string&)>;

    Attempt(const LaunchRequest& request,
            int number,
            const BlockedSignals& signals,
            const LaunchGuardian& guardian,
            const Notice& notice)
        : request_(request),
          signals_(signals),
          notice_(notice),
          variables_(request, number),
          processes_(guardian) {}

    /// Runs all ranks to their end.
    void run() {
        for (int rank = 0; rank < request_.ranks; ++rank) {
            processes_.start(request_.command, variables_.of(rank));
        }
        while (processes_.running() > 0) {
            pass_on(signals_.wait());
            while (const auto ending = processes_.next_ending()) {
                note(*ending);
            }
            pass_on_late_wish();
            end_late_ones();
        }
    }

    [[nodiscard]] bool was_interrupted() const noexcept { return passed_on_ > 0; }
    /// A rank is gone that did not end by itself with a verdict on the input.
    [[nodiscard]] bool has_lost() const noexcept { return has_lost_; }
    /// Of the lowest rank that failed by itself; what others did for its sake only where none did.
    [[nodiscard]] int exit_code() const {
        const bool survived = request_.on_failure == OnFailure::carry_on && has_done_;
        int cause = 0;
        int effect = 0;
        for (auto ending = endings_.rbegin(); ending != endings_.rend(); ++ending) {
            if (ending->exit_code == 0 || (survived && ending->signal != 0)) {
                continue;
            }
            (is_effect(*ending) ? effect : cause) = ending->exit_code;
        }
        return cause != 0 ? cause : effect;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr int comm_error = 71;

    void pass_on(int signal) {
        if (signal != SIGINT && signal != SIGTERM) {
            return;
        }
        processes_.signal_all(passed_on_++ == 0 ? signal : SIGKILL);
    }

    // Another rank failed, or this launcher ended it when one had.
    [[nodiscard]] bool is_effect(const Ending& ending) const {
        return ending.exit_code == comm_error ||
               (is_ending_ && ending.exit_code == 128 + SIGTERM) ||
               (has_killed_ && ending.signal == SIGKILL);
    }

    // A rank whose end somebody asked for is no loss to go on without: all are to end.
    static int wish_of(const Ending& ending) {
        for (const auto signal : {SIGINT, SIGTERM}) {
            if (ending.signal == signal || ending.exit_code == 128 + signal) {
                return signal;
            }
        }
        return 0;
    }

    void note(const Ending& ending) {
        variables_.note_end(ending.rank);
        endings_.insert(
            std::upper_bound(endings_.begin(),
                             endings_.end(),
                             ending,
                             [](const Ending& a, const Ending& b) { return a.rank < b.rank; }),
            ending);
        has_done_ = has_done_ || ending.exit_code == 0;
        if (ending.signal != 0 && passed_on_ == 0 && !is_ending_) {
            notice_(fmt::format("rank {} was ended by signal {} ({})",
                                ending.rank,
                                ending.signal,
                                strsignal(ending.signal)));
        }
        if (const auto wish = wish_of(ending); wish != 0 && !is_ending_) {
            take_wish(wish, ending.signal != 0);
            return;
        }
        const bool is_lost = ending.signal != 0 || ending.exit_code == comm_error;
        has_lost_ = has_lost_ || is_lost;
        if (is_lost && request_.on_failure != OnFailure::carry_on) {
            end_others();
        }
    }

    // A rank that ends with the code of a signal has mostly agreed on that with the others, who are
    // about to say so; a shell that tells of a killed rank looks the same.
    void take_wish(int signal, bool is_killed) {
        if (is_killed && passed_on_ == 0) {
            pass_on(signal);
        } else if (wish_ == 0) {
            wish_ = signal;
            wished_at_ = Clock::now();
        }
    }

    void pass_on_late_wish() {
        constexpr double time_to_follow_seconds = 2;
        const std::chrono::duration<double> waited = Clock::now() - wished_at_;
        if (wish_ != 0 && passed_on_ == 0 && waited.count() > time_to_follow_seconds) {
            pass_on(wish_);
        }
    }

    void end_others() {
        if (is_ending_ || processes_.running() == 0) {
            return;
        }
        is_ending_ = true;
        ended_at_ = Clock::now();
        processes_.signal_all(SIGTERM);
    }

    void end_late_ones() {
        const std::chrono::duration<double> waited = Clock::now() - ended_at_;
        if (!is_ending_ || waited.count() <= request_.grace_seconds) {
            return;
        }
        has_killed_ = true;
        processes_.signal_all(SIGKILL);
    }

    const LaunchRequest& request_;
    const BlockedSignals& signals_;
    const Notice& notice_;
    LaunchVariables variables_;  // cleans up after all processes have ended
    Processes processes_;
    std::vector<Ending> endings_;  // by rank
    int passed_on_ = 0;            // signals from outside
    bool has_done_ = false;        // a rank ended with 0
    bool has_lost_ = false;
    int wish_ = 0;  // signal that a rank says to have ended it; 0: none
    Clock::time_point wished_at_{};
    bool is_ending_ = false;   // SIGTERM was sent to all for the sake of one
    bool has_killed_ = false;  // and SIGKILL after it
    Clock::time_point ended_at_;
};

void check(const LaunchRequest& request) {
    if (request.command.empty()) {
        throw UsageError(
            "launch: no command; for example: lockstep launch -n 2 -- lockstep run CASE");
    }
    if (request.ranks < 1 || request.ranks > LaunchGuardian::most_ranks) {
        throw UsageError(fmt::format("launch: {} ranks, must be 1 to {} on one machine",
                                     request.ranks,
                                     LaunchGuardian::most_ranks));
    }
    using comm::BackendKind;
    if (request.backend != BackendKind::shm && request.backend != BackendKind::tcp) {
        throw UsageError("launch: the backend must be shm or tcp; mpirun or srun start MPI ranks");
    }
    if (!comm::is_built(request.backend)) {
        throw NotBuiltError("launch: this backend is not part of this build; take the other one");
    }
}

}  // namespace

int launch(const LaunchRequest& request, const std::function<void(const std::string&)>& notice) {
    check(request);
    const BlockedSignals signals;
    const LaunchGuardian guardian;
    for (int number = 0;; ++number) {
        Attempt attempt(request, number, signals, guardian, notice);
        attempt.run();
        const bool may_restart = request.on_failure == OnFailure::restart && attempt.has_lost() &&
                                 !attempt.was_interrupted() && number < request.restarts;
        if (!may_restart) {
            return attempt.exit_code();
        }
        notice(fmt::format(
            "restart {} of {} from the newest checkpoint", number + 1, request.restarts));
    }
}

}  // namespace lockstep::app
