#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "lockstep/base/waiting.hpp"

namespace lockstep::comm {

// Sleeping on a word of shared memory.
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Sleeps while `word` holds `value`, at most `timeout_ms`. May return early.
inline void futex_wait(const std::atomic<std::uint32_t>& word,
                       std::uint32_t value,
                       int timeout_ms) {
    sleep_on(word, value, Sleepers::any_process, std::chrono::milliseconds(timeout_ms));
}

/// Wakes all processes that sleep on `word`.
inline void futex_wake(const std::atomic<std::uint32_t>& word) {
    wake_all(word, Sleepers::any_process);
}

}  // namespace lockstep::comm
