#include "comm/shm/mailbox.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/backends.hpp"
#include "comm/futex.hpp"

namespace lockstep::comm {
namespace {

// Asking the kernel after every rank at each of many calls that find nothing would be slow.
constexpr std::chrono::milliseconds look_interval{20};
constexpr std::size_t largest_room = std::size_t{1} << 48;

PeerFailed loss(const ShmRoom& ranks, int rank) {
    const bool has_died = ranks.presence(rank) == ShmPresence::died;
    return {fmt::format("rank {} on {} {} while rank {} exchanges messages with it",
                        rank,
                        own_host(),
                        has_died ? "died" : "ended",
                        ranks.rank()),
            rank};
}

}  // namespace

std::size_t ShmMailbox::rings_bytes(int ranks, std::size_t room) {
    const auto rings = at(ranks) * at(ranks);
    std::size_t bytes = 0;
    if (room > largest_room || __builtin_mul_overflow(rings, ShmRing::memory_bytes(room), &bytes)) {
        throw CommError(
            fmt::format("open_mailbox: room for {} bytes between {} ranks", room, ranks));
    }
    return bytes;
}

std::size_t ShmMailbox::memory_bytes(int ranks, std::size_t room) {
    return rings_bytes(ranks, room) + at(ranks) * sizeof(Bell);
}

ShmMailbox::ShmMailbox(std::shared_ptr<ShmRoom> ranks,
                       std::unique_ptr<SharedMemory> memory,
                       std::size_t room)
    : ranks_(std::move(ranks)),
      memory_(std::move(memory)),
      room_(room),
      is_forgotten_(at(ranks_->size())) {
    const auto bytes = ShmRing::memory_bytes(room);
    const auto rings = static_cast<std::size_t>(ranks_->size() * ranks_->size());
    for (std::size_t i = 0; i < rings; ++i) {
        rings_.emplace_back(memory_->bytes().subspan(i * bytes, bytes), room);
    }
}

bool ShmMailbox::post(int to, std::uint32_t tag, std::span<const std::byte> bytes) {
    check_message(to, ranks_->size(), bytes.size(), room_);
    check_whole();
    if (ranks_->is_gone(to)) {
        throw loss(*ranks_, to);
    }
    if (!ring(ranks_->rank(), to).put(tag, bytes)) {
        return false;
    }
    auto& receiver = bell(to);
    ++receiver.rings;
    if (receiver.sleepers != 0) {
        futex_wake(receiver.rings);
    }
    return true;
}

std::optional<Message> ShmMailbox::poll() {
    check_whole();
    const int size = ranks_->size();
    for (int i = 0; i < size; ++i) {
        const int from = (next_ + i) % size;
        if (auto message = ring(from, ranks_->rank()).take()) {
            message->from = from;
            next_ = (from + 1) % size;
            return message;
        }
    }
    check_for_losses();
    return {};
}

// A sender may have posted once more after its ring was found empty and before it went.
void ShmMailbox::check_for_losses() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < look_interval) {
        return;
    }
    looked_ = now;
    const auto cause = ranks_->cause();
    if (cause.kind == ShmCause::Kind::revoked) {
        throw PeerFailed(
            fmt::format("rank {} on {} looks for the survivors of a loss", cause.rank, own_host()),
            cause.rank);
    }
    for (int from = 0; from < ranks_->size(); ++from) {
        if (!is_forgotten_[at(from)] && ranks_->is_gone(from) &&
            ring(from, ranks_->rank()).is_empty()) {
            throw loss(*ranks_, from);
        }
    }
}

void ShmMailbox::forget(int rank) {
    check_forgotten(rank, ranks_->size());
    is_forgotten_[at(rank)] = true;
}

// Whoever posts after the look into the rings changes the number, or finds a sleeper.
void ShmMailbox::sleep(std::chrono::milliseconds limit) {
    auto& own = bell(ranks_->rank());
    ++own.sleepers;
    const auto rings = own.rings.load();
    if (!has_mail()) {
        futex_wait(own.rings, rings, static_cast<int>(std::min(limit, look_interval).count()));
    }
    --own.sleepers;
}

bool ShmMailbox::has_mail() {
    for (int from = 0; from < ranks_->size(); ++from) {
        if (!ring(from, ranks_->rank()).is_empty()) {
            return true;
        }
    }
    return false;
}

ShmMailbox::Bell& ShmMailbox::bell(int rank) {
    auto* first = memory_->bytes().data() + rings_bytes(ranks_->size(), room_);
    return static_cast<Bell*>(static_cast<void*>(first))[rank];
}

void ShmMailbox::check_whole() const {
    if (ranks_->is_revoked()) {
        throw CommError(revoked_words);
    }
    if (!ranks_->is_present()) {
        throw CommError("mailbox: its communicator has recovered since; open another one");
    }
}

ShmRing& ShmMailbox::ring(int from, int to) {
    return rings_[at(from * ranks_->size() + to)];
}

}  // namespace lockstep::comm
