#include "lockstep/runtime/signals.hpp"

#include <atomic>

namespace lockstep::runtime {
namespace {

std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch it");

extern "C" void note_signal(int signal) {
    int none = 0;
    if (first_signal.compare_exchange_strong(none, signal))
        return;
    // A second signal means "now": SIG_DFL first, so that the raised signal ends the process.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

}  // namespace

SignalGuard::SignalGuard() {
    first_signal = 0;
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &interrupt_before_);
    ::sigaction(SIGTERM, &action, &terminate_before_);
}

SignalGuard::~SignalGuard() {
    ::sigaction(SIGINT, &interrupt_before_, nullptr);
    ::sigaction(SIGTERM, &terminate_before_, nullptr);
}

int SignalGuard::received() noexcept {
    return first_signal;
}

}  // namespace lockstep::runtime
