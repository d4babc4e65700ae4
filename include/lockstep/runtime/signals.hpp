#pragma once

#include <signal.h>

namespace lockstep::runtime {

/// While it lives, SIGINT and SIGTERM set a flag instead of ending the process.
///
/// The second signal ends the process at once, with what the system does by default. The handlers
/// of before come back with the end of the object. One object at a time.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    /// SIGINT, SIGTERM, or 0 when none came.
    [[nodiscard]] static int received() noexcept;

private:
    struct sigaction interrupt_before_ {};
    struct sigaction terminate_before_ {};
};

}  // namespace lockstep::runtime
