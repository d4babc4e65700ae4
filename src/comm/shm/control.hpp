#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>
#include <sched.h>

#include "lockstep/comm/communicator.hpp"

#include "comm/futex.hpp"

namespace lockstep::comm {

/// Where a rank stands in a room.
enum class ShmPresence : std::uint32_t { awaited, present, left, died };

/// Why no round of a room ends any more, and who is to blame.
struct ShmCause {
    enum class Kind : std::uint8_t { none, died, left, aborted, failed, revoked };
    Kind kind = Kind::none;
    int rank = 0;
    int code = 0;  ///< of an abort
};

/// How far the ranks of a room have met.
enum class ShmPhase : std::uint32_t { made, ready, open, failed };

/// What a rank shows the others when it enters a collective.
struct ShmShown {
    CallStamp stamp;
    std::uint64_t address;  ///< of what it sends, where others read it themselves
};

/// A rank's part of the control block; padded, as neighbouring lines are fetched in pairs.
struct alignas(128) ShmSlot {
    /// Robust, held while the rank is present: the kernel tells when its holder is dead.
    pthread_mutex_t alive;
    std::atomic<std::uint32_t> presence;    ///< ShmPresence
    std::atomic<std::uint32_t> recovers;    ///< 1: waits for the other survivors
    std::atomic<std::uint32_t> invitation;  ///< latest attempt at a new room that counts on it
    std::int64_t process;
    std::uint64_t cookie_address;  ///< where in that process the cookie lies
    std::uint64_t cookie;
    std::atomic<std::uint32_t> reads_others;  ///< 1: it can read the memory of all ranks
    cpu_set_t cores;                          ///< where it may run
    /// By the parity of the round: who still reads one is not disturbed by who writes the next.
    alignas(128) ShmShown shown[2];
};

/// Head of a segment where ranks meet; the slots follow, then the two halves of the staging area.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): words on cache lines of their own
struct ShmHeader {
    static constexpr std::uint64_t right_magic = 0x50455453'4b434f4c;  // "LOCKSTEP"
    /// In `round`: the room is broken.
    static constexpr std::uint32_t broken_bit = std::uint32_t{1} << 31;

    std::uint64_t magic;
    std::uint32_t version;  ///< wire_version
    std::uint32_t size;     ///< ranks
    std::uint64_t abi;      ///< shm_abi() of the creator
    std::uint64_t half_bytes;
    std::uint64_t nonce;  ///< different in every room
    std::int64_t creator;

    alignas(64) std::atomic<std::uint32_t> phase;  ///< ShmPhase
    std::atomic<std::uint32_t> entered;            ///< ranks that have come
    // Attempts of survivors to make a new room, and the latest that was published.
    std::atomic<std::uint32_t> attempts;
    std::atomic<std::uint32_t> decision;

    /// Barriers completed, and broken_bit; one word decides for all ranks how a round ends.
    alignas(128) std::atomic<std::uint32_t> round;
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) std::atomic<std::uint32_t> sleepers;
    std::atomic<std::uint64_t> cause;  ///< ShmCause in one word; the first, or an abort
};

/// Fingerprint of what two programs must have in common to share a room.
std::uint64_t shm_abi();

}  // namespace lockstep::comm
