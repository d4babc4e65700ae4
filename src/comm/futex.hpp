#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::comm {

// Sleeping on a word of shared memory. std::atomic's own wait serves threads of one process only.
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Sleeps while `word` holds `value`, at most `timeout_ms`. May return early.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, int timeout_ms);

/// Wakes all processes that sleep on `word`.
void futex_wake(const std::atomic<std::uint32_t>& word);

}  // namespace lockstep::comm
