#include "lockstep/runtime/signals.hpp"

#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

namespace lockstep::runtime {
namespace {

std::atomic<bool> is_guarded = false;
std::atomic<int> first_signal = 0;
std::atomic<bool> is_host_safe = false;  // no signal ends the process while guards live
std::atomic<bool> is_heard = false;      // a listener waits
std::atomic<int> ending_signal = 0;  // for the listener; 0: it is to end
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch them");

/// Guards that live, and the handlers that the first of them found.
struct Guards {
    std::mutex mutex;
    int count = 0;
    struct sigaction interrupt_before {};
    struct sigaction terminate_before {};
};

Guards& guards() {
    static Guards all;
    return all;
}

// Posting it is the one thing that a handler may do to wake a thread.
sem_t& knock() {
    static sem_t semaphore;
    [[maybe_unused]] static const auto made = ::sem_init(&semaphore, 0, 0);
    return semaphore;
}

extern "C" void take_signal(int signal) {
    auto none = 0;
    if (is_guarded && first_signal.compare_exchange_strong(none, signal)) {
        return;
    }
    if (is_guarded && is_host_safe) {
        return;
    }
    if (is_heard.exchange(false)) {
        ending_signal = signal;
        ::sem_post(&knock());
        return;
    }
    // SIG_DFL first, so that the raised signal ends the process.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void install(struct sigaction& interrupt_before, struct sigaction& terminate_before) {
    struct sigaction action {};
    action.sa_handler = take_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &interrupt_before);
    ::sigaction(SIGTERM, &action, &terminate_before);
}

void restore(const struct sigaction& interrupt_before, const struct sigaction& terminate_before) {
    ::sigaction(SIGINT, &interrupt_before, nullptr);
    ::sigaction(SIGTERM, &terminate_before, nullptr);
}

}  // namespace

SignalGuard::SignalGuard() {
    auto& all = guards();
    const std::lock_guard lock(all.mutex);
    if (all.count++ == 0) {
        first_signal = 0;
        is_guarded = true;
        install(all.interrupt_before, all.terminate_before);
    }
}

SignalGuard::~SignalGuard() {
    auto& all = guards();
    const std::lock_guard lock(all.mutex);
    if (--all.count == 0) {
        restore(all.interrupt_before, all.terminate_before);
        is_guarded = false;
    }
}

int SignalGuard::received() noexcept {
    return first_signal;
}

void SignalGuard::forget_further_signals() noexcept {
    is_host_safe = true;
}

SignalListener::SignalListener(std::function<void(int signal)> end) : end_(std::move(end)) {
    knock();  // made before a handler may touch it
    ending_signal = 0;
    thread_ = std::thread([this] { listen(); });
    is_heard = true;
    install(interrupt_before_, terminate_before_);
}

SignalListener::~SignalListener() {
    restore(interrupt_before_, terminate_before_);
    if (is_heard.exchange(false)) {
        ::sem_post(&knock());
    }
    thread_.join();
}

void SignalListener::listen() const {
    while (::sem_wait(&knock()) != 0 && errno == EINTR) {
        continue;
    }
    if (const auto signal = ending_signal.load(); signal != 0) {
        end_(signal);
    }
}

}  // namespace lockstep::runtime
