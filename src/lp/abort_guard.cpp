#include "lp/abort_guard.hpp"

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace lockstep::lp::detail {
namespace {

/// Where a thread goes on when abort() is called in it.
struct Landing {
    sigjmp_buf place;
    Landing* outer;
};

thread_local Landing* landing = nullptr;
struct sigaction earlier_action;

// abort() raises the signal in the thread that called it. POSIX lets its handler jump away.
void on_abort(int signal) {
    if (landing != nullptr) {
        siglongjmp(landing->place, 1);  // NOLINT(cert-err52-cpp): C libraries know no exceptions
    }
    sigaction(signal, &earlier_action, nullptr);
    raise(signal);
}

void listen() {
    struct sigaction action {};
    action.sa_handler = on_abort;
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, &earlier_action);
}

// The jump leaves the signal blocked.
void unblock_abort() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

bool survives_abort(void (*call)(void*), void* context) {
    static std::once_flag once;
    std::call_once(once, listen);
    Landing here;
    here.outer = landing;
    // NOLINTNEXTLINE(cert-err52-cpp): C libraries know no exceptions
    if (sigsetjmp(here.place, 0) != 0) {
        landing = here.outer;
        unblock_abort();
        return false;
    }
    landing = &here;
    try {
        call(context);
    } catch (...) {
        landing = here.outer;
        throw;
    }
    landing = here.outer;
    return true;
}

}  // namespace lockstep::lp::detail
