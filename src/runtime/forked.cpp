#include "runtime/forked.hpp"

#include <atomic>

#include <pthread.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

std::atomic<bool> is_fork_of_threads = false;

void take_note_in_child() {
    is_fork_of_threads = true;
}

}  // namespace

void note_threads() {
    [[maybe_unused]] static const int made =
        ::pthread_atfork(nullptr, nullptr, take_note_in_child);
}

void require_unforked() {
    if (is_fork_of_threads.load(std::memory_order_relaxed)) {
        throw BackendError(
            "this process was forked from one that has used lockstep's threads, which are not here; "
            "start it anew instead (in Python: multiprocessing with 'spawn' or 'forkserver')");
    }
}

}  // namespace lockstep::runtime
