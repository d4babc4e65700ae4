#include "comm/shm_barrier.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"
#include "comm/tsan.hpp"

namespace lockstep::comm {
namespace {

constexpr int look_ms = 100;         // between looks for dead ranks
constexpr int look_tries = 1 << 16;  // the same while it spins
constexpr int default_spin = 2000;
constexpr int default_yields = 20;
constexpr std::uint32_t broken = ShmHeader::broken_bit;

// Where the rank that is waited for may need this core, spinning would only keep it from it; a rank
// that yields gets on ten times faster than one that sleeps.
void pause_core(bool is_shared) {
    if (is_shared) {
        sched_yield();
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Ranks may be bound to cores of their own, so it takes the masks of all.
bool have_more_ranks_than_cores(const ShmRoom& room) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (int rank = 0; rank < room.size(); ++rank)
        CPU_OR(&cores, &cores, &room.slot(rank).cores);
    return room.size() > CPU_COUNT(&cores);
}

}  // namespace

ShmBarrier::ShmBarrier(std::shared_ptr<ShmRoom> room, int spin)
    : room_(std::move(room)), is_oversubscribed_(have_more_ranks_than_cores(*room_)) {
    const int by_cores = is_oversubscribed_ ? default_yields : default_spin;
    spin_ = spin < 0 ? by_cores : spin;
}

std::uint32_t ShmBarrier::parity() const noexcept {
    return room_->header().round.load(std::memory_order_relaxed) & 1;
}

void ShmBarrier::wait(const CallStamp& call) {
    auto& header = room_->header();
    const auto round = header.round.load(std::memory_order_acquire);
    tsan_before_barrier(header.nonce);
    if ((round & broken) == 0) {
        if (header.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == header.size)
            complete(round);
        else
            sleep_through(round);
    }
    tsan_after_barrier(header.nonce);
    // A later round may be broken already.
    if ((header.round.load(std::memory_order_acquire) & ~broken) == (round & ~broken))
        throw_cause(call);
}

// The last one to come. Nobody arrives for the next round before the word changes.
void ShmBarrier::complete(std::uint32_t round) noexcept {
    auto& header = room_->header();
    header.arrived.store(0, std::memory_order_relaxed);
    auto expected = round;
    header.round.compare_exchange_strong(expected, (round + 1) & ~broken);
    if (header.sleepers.load() != 0)
        futex_wake(header.round);
}

void ShmBarrier::sleep_through(std::uint32_t round) noexcept {
    auto& header = room_->header();
    for (int tries = 1; tries <= spin_; ++tries) {
        if (header.round.load(std::memory_order_acquire) != round)
            return;
        pause_core(is_oversubscribed_);
        if (tries % look_tries == 0)
            find_losses();
    }
    // Looks first: who is gone already wakes nobody any more.
    while (header.round.load(std::memory_order_acquire) == round) {
        find_losses();
        header.sleepers.fetch_add(1);
        futex_wait(header.round, round, look_ms);
        header.sleepers.fetch_sub(1);
    }
}

void ShmBarrier::find_losses() noexcept {
    for (int rank = 0; rank < room_->size(); ++rank) {
        const auto presence = room_->presence(rank);
        if (presence == ShmPresence::died)
            return break_for(Cause::died, rank, 0);
        if (presence == ShmPresence::left)
            return break_for(Cause::left, rank, 0);
    }
}

void ShmBarrier::look_for_losses(const CallStamp& call) {
    find_losses();
    if ((room_->header().round.load() & broken) != 0)
        throw_cause(call);
}

void ShmBarrier::break_by_abort(int code) noexcept {
    break_for(Cause::aborted, room_->rank(), code);
}

void ShmBarrier::break_by_failure() noexcept {
    break_for(Cause::failed, room_->rank(), 0);
}

// Cause, rank and code in one word: the first one set is the one that all ranks tell.
void ShmBarrier::break_for(Cause cause, int rank, int code) noexcept {
    auto& header = room_->header();
    std::uint64_t none = 0;
    header.cause.compare_exchange_strong(none,
                                         static_cast<std::uint64_t>(cause) << 56 |
                                             static_cast<std::uint64_t>(rank) << 32 |
                                             static_cast<std::uint32_t>(code));
    header.round.fetch_or(broken);
    futex_wake(header.round);
}

void ShmBarrier::throw_cause(const CallStamp& call) const {
    const auto packed = room_->header().cause.load();
    const auto rank = static_cast<int>(packed >> 32 & 0xffffff);
    const auto waits = fmt::format("while rank {} waits in {}", room_->rank(), to_string(call));
    switch (static_cast<Cause>(packed >> 56)) {
        case Cause::died:
            throw PeerFailed(fmt::format("rank {} on {} died {}", rank, own_host(), waits), rank);
        case Cause::left:
            throw PeerFailed(fmt::format("rank {} on {} ended {}", rank, own_host(), waits), rank);
        case Cause::aborted:
            throw CommError(fmt::format("aborted by rank {} on {} with code {} {}",
                                        rank,
                                        own_host(),
                                        static_cast<std::int32_t>(packed & 0xffffffff),
                                        waits));
        default:
            throw CommError(fmt::format("rank {} on {} failed {}", rank, own_host(), waits));
    }
}

}  // namespace lockstep::comm
