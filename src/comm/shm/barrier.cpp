#include "comm/shm/barrier.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/waiting.hpp"

#include "comm/backends.hpp"
#include "comm/tsan.hpp"

namespace lockstep::comm {
namespace {

constexpr int look_ms = 100;         // between looks for dead ranks
constexpr int look_tries = 1 << 16;  // the same while it spins
constexpr int most_yields = 20;
constexpr auto long_yield = std::chrono::microseconds(100);
constexpr int shortest_rest = 64;
constexpr int longest_rest = 4096;
constexpr std::uint32_t broken = ShmHeader::broken_bit;

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
    for (int rank = 0; rank < room.size(); ++rank) {
        CPU_OR(&cores, &cores, &room.slot(rank).cores);
    }
    return room.size() > CPU_COUNT(&cores);
}

}  // namespace

ShmBarrier::ShmBarrier(std::shared_ptr<ShmRoom> room, int spin)
    : room_(std::move(room)),
      is_oversubscribed_(have_more_ranks_than_cores(*room_)),
      spin_(spin),
      rest_(shortest_rest) {}

std::uint32_t ShmBarrier::parity() const noexcept {
    return room_->header().round.load(std::memory_order_relaxed) & 1;
}

void ShmBarrier::wait(const CallStamp& call) {
    auto& header = room_->header();
    const auto round = header.round.load(std::memory_order_acquire);
    tsan_before_barrier(header.nonce);
    if ((round & broken) == 0) {
        if (header.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == header.size) {
            complete(round);
        } else {
            sleep_through(round);
        }
    }
    tsan_after_barrier(header.nonce);
    // A later round may be broken already.
    if ((header.round.load(std::memory_order_acquire) & ~broken) == (round & ~broken)) {
        throw_cause(call);
    }
}

// The last one to come. Nobody arrives for the next round before the word changes.
void ShmBarrier::complete(std::uint32_t round) noexcept {
    auto& header = room_->header();
    header.arrived.store(0, std::memory_order_relaxed);
    auto expected = round;
    header.round.compare_exchange_strong(expected, (round + 1) & ~broken);
    if (header.sleepers.load() != 0) {
        futex_wake(header.round);
    }
}

void ShmBarrier::sleep_through(std::uint32_t round) noexcept {
    auto& header = room_->header();
    if (spin_ >= 0) {
        try_often(round);
    } else if (is_oversubscribed_) {
        yield(round);
    } else {
        for (BriefSpin spin; !has_passed(round) && spin.again();) {
        }
    }
    // Looks first: who is gone already wakes nobody any more.
    while (header.round.load(std::memory_order_acquire) == round) {
        find_losses();
        header.sleepers.fetch_add(1);
        futex_wait(header.round, round, look_ms);
        header.sleepers.fetch_sub(1);
    }
}

bool ShmBarrier::has_passed(std::uint32_t round) const noexcept {
    return room_->header().round.load(std::memory_order_acquire) != round;
}

void ShmBarrier::try_often(std::uint32_t round) noexcept {
    for (int tries = 1; tries <= spin_ && !has_passed(round); ++tries) {
        pause_core(is_oversubscribed_);
        if (tries % look_tries == 0) {
            find_losses();
        }
    }
}

// Where the rank that is waited for may need this core, spinning would only keep it from it; among
// themselves ranks that yield get on ten times faster than ranks that sleep. But to a stranger a
// core is lost for milliseconds, where a rank that sleeps is woken at once. So after a long yield
// that brought no rank here, the next barriers sleep without any.
void ShmBarrier::yield(std::uint32_t round) noexcept {
    if (barriers_to_rest_ > 0) {
        --barriers_to_rest_;
        return;
    }
    const auto& arrived = room_->header().arrived;
    for (int tries = 0; tries < most_yields && !has_passed(round); ++tries) {
        const auto here = arrived.load(std::memory_order_relaxed);
        const auto start = BriefSpin::Clock::now();
        sched_yield();
        const bool was_in_vain =
            !has_passed(round) && arrived.load(std::memory_order_relaxed) == here;
        if (was_in_vain && BriefSpin::Clock::now() - start > long_yield) {
            barriers_to_rest_ = rest_;
            rest_ = std::min(4 * rest_, longest_rest);
            return;
        }
    }
    rest_ = std::max(rest_ / 2, shortest_rest);
}

void ShmBarrier::find_losses() noexcept {
    for (int rank = 0; rank < room_->size(); ++rank) {
        const auto presence = room_->presence(rank);
        if (presence == ShmPresence::died) {
            return room_->break_for({ShmCause::Kind::died, rank, 0});
        }
        if (presence == ShmPresence::left) {
            return room_->break_for({ShmCause::Kind::left, rank, 0});
        }
    }
}

void ShmBarrier::look_for_losses(const CallStamp& call) {
    find_losses();
    if ((room_->header().round.load() & broken) != 0) {
        throw_cause(call);
    }
}

void ShmBarrier::break_by_abort(int code) noexcept {
    room_->break_for({ShmCause::Kind::aborted, room_->rank(), code});
}

void ShmBarrier::break_by_failure() noexcept {
    room_->break_for({ShmCause::Kind::failed, room_->rank(), 0});
}

void ShmBarrier::throw_cause(const CallStamp& call) const {
    if (room_->is_revoked()) {
        throw CommError(revoked_words);
    }
    const auto cause = room_->cause();
    const auto who = fmt::format("rank {} on {}", cause.rank, own_host());
    const auto waits = fmt::format("while rank {} waits in {}", room_->rank(), to_string(call));
    switch (cause.kind) {
        case ShmCause::Kind::died:
            throw PeerFailed(fmt::format("{} died {}", who, waits), cause.rank);
        case ShmCause::Kind::left:
            throw PeerFailed(fmt::format("{} ended {}", who, waits), cause.rank);
        case ShmCause::Kind::revoked:
            throw PeerFailed(fmt::format("{} looks for the survivors of a loss {}", who, waits),
                             cause.rank);
        case ShmCause::Kind::aborted:
            throw CommError(fmt::format("aborted by {} with code {} {}", who, cause.code, waits));
        default:
            throw CommError(fmt::format("{} failed {}", who, waits));
    }
}

}  // namespace lockstep::comm
