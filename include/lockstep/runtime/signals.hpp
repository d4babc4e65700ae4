#pragma once

#include <functional>
#include <thread>

#include <semaphore.h>
#include <signal.h>

namespace lockstep::runtime {

/// While it lives, SIGINT and SIGTERM set a flag instead of ending the process.
///
/// The second signal ends the process at once, with what the system does by default or as
/// SignalListener says. Guards may overlap, on any threads: the flag is that of all of them, and the
/// handlers of before come back with the end of the last one.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    /// SIGINT, SIGTERM, or 0 when none came.
    [[nodiscard]] static int received() noexcept;

    /// Further signals of the same guards do nothing from now on: for a host of this library, such
    /// as Python, that ends in its own way.
    static void forget_further_signals() noexcept;
};

/// While it lives, a SIGINT or SIGTERM that would end this process is handed to `end`, which can
/// tell other ranks: the first outside a SignalGuard, the second inside one. Another one after it
/// does what the system does by default. One object at a time.
class SignalListener {
public:
    /// @param end  called once at most, on a thread of its own; should end the process
    explicit SignalListener(std::function<void(int signal)> end);
    ~SignalListener();
    SignalListener(const SignalListener&) = delete;
    SignalListener& operator=(const SignalListener&) = delete;

private:
    void listen() const;

    std::function<void(int)> end_;
    struct sigaction interrupt_before_ {};
    struct sigaction terminate_before_ {};
    std::thread thread_;
};

}  // namespace lockstep::runtime
