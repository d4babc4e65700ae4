#pragma once

#include <cstdint>

// The thread sanitizer takes two mappings of one memory for different memory, so it does not see
// that threads of one process which are ranks of a room wait for one another there. It is told.
#if defined(__SANITIZE_THREAD__)
#define LOCKSTEP_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LOCKSTEP_HAS_TSAN 1
#endif
#endif

#ifdef LOCKSTEP_HAS_TSAN
#include <sanitizer/tsan_interface.h>

namespace lockstep::comm {

/// Stands in this process for the room of a number.
inline void* tsan_room(std::uint64_t nonce) {
    static char places[1024];
    return &places[nonce % sizeof places];
}
inline void tsan_before_barrier(std::uint64_t nonce) {
    __tsan_release(tsan_room(nonce));
}
inline void tsan_after_barrier(std::uint64_t nonce) {
    __tsan_acquire(tsan_room(nonce));
}

}  // namespace lockstep::comm
#else
namespace lockstep::comm {

inline void tsan_before_barrier(std::uint64_t) {}
inline void tsan_after_barrier(std::uint64_t) {}

}  // namespace lockstep::comm
#endif
