#include "comm/shm/room.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"

#include "comm/abi_stamp.hpp"

namespace lockstep::comm {
namespace {

constexpr std::size_t page = 4096;
constexpr int poll_ms = 20;

std::size_t round_up(std::size_t bytes, std::size_t step) {
    return (bytes + step - 1) / step * step;
}

std::size_t slots_offset() {
    return round_up(sizeof(ShmHeader), alignof(ShmSlot));
}

std::size_t control_bytes(std::size_t size) {
    return round_up(slots_offset() + size * sizeof(ShmSlot), page);
}

// Every rank has a place in each half, however many there are.
std::size_t half_bytes(const ShmRoom::Shape& shape) {
    return round_up(std::max(shape.buffer_bytes, 128 * static_cast<std::size_t>(shape.size)), page);
}

ShmHeader& header_of(const ShmSegment& segment) {
    return *static_cast<ShmHeader*>(static_cast<void*>(segment.bytes().data()));
}

void init_robust(pthread_mutex_t& mutex) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

bool is_ready(const ShmHeader& header) {
    return header.phase.load(std::memory_order_acquire) !=
           static_cast<std::uint32_t>(ShmPhase::made);
}

bool is_same_program(const ShmSegment& segment) {
    const auto& header = header_of(segment);
    return segment.bytes().size() >= control_bytes(header.size) &&
           header.magic == ShmHeader::right_magic && header.version == wire_version &&
           header.abi == shm_abi();
}

void check_shape(const std::string& name,
                 const ShmSegment& segment,
                 int rank,
                 const ShmRoom::Shape& shape) {
    const auto& header = header_of(segment);
    if (std::cmp_not_equal(header.size, shape.size)) {
        throw CommError(
            fmt::format("rank {} was started as one of {} ranks, but rank 0 made '{}' "
                        "for {}",
                        rank,
                        shape.size,
                        name,
                        header.size));
    }
    if (header.half_bytes != half_bytes(shape)) {
        throw CommError(fmt::format(
            "rank {} was started with buffers of {} bytes, but rank 0 made '{}' with {}",
            rank,
            half_bytes(shape),
            name,
            header.half_bytes));
    }
    if (segment.bytes().size() != control_bytes(header.size) + 2 * header.half_bytes) {
        throw CommError(fmt::format("shared memory '{}' has {} bytes, its header says {}",
                                    name,
                                    segment.bytes().size(),
                                    control_bytes(header.size) + 2 * header.half_bytes));
    }
}

}  // namespace

std::uint64_t shm_abi() {
    DigestBuilder builder;
    builder.add(raw_layout());
    for (const std::size_t size : {sizeof(pthread_mutex_t),
                                   sizeof(ShmSlot),
                                   offsetof(ShmSlot, cores),
                                   offsetof(ShmSlot, shown),
                                   sizeof(ShmHeader),
                                   offsetof(ShmHeader, phase),
                                   offsetof(ShmHeader, cause)}) {
        builder.add(static_cast<std::uint64_t>(size));
    }
    return builder.digest()[0];
}

std::uint64_t shm_nonce() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

std::shared_ptr<ShmRoom> ShmRoom::create(const std::string& name, const Shape& shape) {
    const auto size = static_cast<std::size_t>(shape.size);
    auto segment = ShmSegment::create(name, control_bytes(size) + 2 * half_bytes(shape));
    if (!segment) {
        return nullptr;
    }
    std::shared_ptr<ShmRoom> room(new ShmRoom(std::move(*segment), 0));
    auto& header = room->header();
    header.magic = ShmHeader::right_magic;
    header.version = wire_version;
    header.size = static_cast<std::uint32_t>(size);
    header.abi = shm_abi();
    header.half_bytes = half_bytes(shape);
    header.nonce = shm_nonce();
    header.creator = getpid();
    for (int rank = 0; rank < shape.size; ++rank) {
        init_robust(room->slot(rank).alive);
    }
    room->enter();
    header.phase.store(static_cast<std::uint32_t>(ShmPhase::ready), std::memory_order_release);
    return room;
}

std::shared_ptr<ShmRoom> ShmRoom::join(const std::string& name, int rank, const Shape& shape) {
    auto segment = ShmSegment::open(name);
    if (!segment || segment->bytes().size() < sizeof(ShmHeader) || !is_ready(header_of(*segment))) {
        return nullptr;
    }
    if (!is_same_program(*segment)) {
        throw CommError(fmt::format(
            "shared memory '{}' is of another build of this program: all ranks must run the same",
            name));
    }
    std::shared_ptr<ShmRoom> room(new ShmRoom(std::move(*segment), rank));
    if (room->is_gone(0)) {
        return nullptr;
    }
    check_shape(name, room->segment_, rank, shape);
    if (!room->enter()) {
        throw CommError(
            fmt::format("rank {} of '{}' is there already: another process was started "
                        "as the same rank",
                        rank,
                        name));
    }
    return room;
}

ShmRoom::Holder ShmRoom::holder_of(const std::string& name) {
    auto segment = ShmSegment::open(name);
    if (!segment) {
        return Holder::none;
    }
    if (segment->bytes().size() < sizeof(ShmHeader)) {
        return Holder::foreign;
    }
    const auto& header = header_of(*segment);
    if (!is_ready(header) && (header.magic == 0 || header.magic == ShmHeader::right_magic)) {
        return Holder::unready;
    }
    if (!is_same_program(*segment)) {
        return Holder::foreign;
    }
    return ShmRoom(std::move(*segment), -1).is_gone(0) ? Holder::dead : Holder::alive;
}

ShmRoom::~ShmRoom() {
    leave();
}

// Null where the rank is there already.
bool ShmRoom::enter() {
    auto& own = slot(rank_);
    if (pthread_mutex_trylock(&own.alive) != 0) {
        return false;
    }
    if (static_cast<ShmPresence>(own.presence.load()) != ShmPresence::awaited) {
        pthread_mutex_unlock(&own.alive);
        return false;
    }
    is_present_ = true;
    cookie_ = shm_nonce();
    own.process = getpid();
    own.cookie = cookie_;
    own.cookie_address = std::bit_cast<std::uint64_t>(&cookie_);
    sched_getaffinity(0, sizeof own.cores, &own.cores);
    own.presence = static_cast<std::uint32_t>(ShmPresence::present);
    header().entered.fetch_add(1);
    futex_wake(header().entered);
    return true;
}

void ShmRoom::leave() noexcept {
    if (!std::exchange(is_present_, false)) {
        return;
    }
    auto& own = slot(rank_);
    own.presence = static_cast<std::uint32_t>(ShmPresence::left);
    // The mutex is in a list of the thread that holds it: were it unmapped there, later ones that
    // this thread holds would never be reported.
    if (pthread_mutex_unlock(&own.alive) != 0) {
        segment_.keep_mapped();
    }
    for (auto* word : {&header().phase, &header().entered, &header().decision, &header().round}) {
        futex_wake(*word);
    }
}

ShmHeader& ShmRoom::header() const noexcept {
    return header_of(segment_);
}

ShmSlot& ShmRoom::slot(int rank) const noexcept {
    auto* slots = segment_.bytes().data() + slots_offset();
    return static_cast<ShmSlot*>(static_cast<void*>(slots))[rank];
}

std::span<std::byte> ShmRoom::half(std::uint32_t parity) const noexcept {
    const std::size_t bytes = header().half_bytes;
    return segment_.bytes().subspan(control_bytes(header().size) + parity * bytes, bytes);
}

ShmPresence ShmRoom::presence(int rank) const {
    auto& other = slot(rank);
    auto presence = static_cast<ShmPresence>(other.presence.load());
    if (presence != ShmPresence::present || (rank == rank_ && is_present_)) {
        return presence;
    }
    const int error = pthread_mutex_trylock(&other.alive);
    if (error == EBUSY) {
        return presence;
    }
    // It may have left, or somebody else may have found it dead, since the word was read.
    presence = static_cast<ShmPresence>(other.presence.load());
    if (presence == ShmPresence::present) {
        presence = ShmPresence::died;
        other.presence = static_cast<std::uint32_t>(presence);
    }
    if (error == EOWNERDEAD) {
        pthread_mutex_consistent(&other.alive);
    }
    if (error == 0 || error == EOWNERDEAD) {
        pthread_mutex_unlock(&other.alive);
    }
    return presence;
}

bool ShmRoom::is_gone(int rank) const {
    const auto where = presence(rank);
    return where == ShmPresence::left || where == ShmPresence::died;
}

bool ShmRoom::has_losses() const {
    for (int rank = 0; rank < size(); ++rank) {
        if (is_gone(rank)) {
            return true;
        }
    }
    return false;
}

bool ShmRoom::meet(const std::string& name, const std::function<bool()>& gives_up) {
    auto& phase = header().phase;
    const auto settle = [&](ShmPhase result) {
        auto ready = static_cast<std::uint32_t>(ShmPhase::ready);
        phase.compare_exchange_strong(ready, static_cast<std::uint32_t>(result));
        futex_wake(phase);
    };
    for (;;) {
        const auto now = static_cast<ShmPhase>(phase.load());
        if (now != ShmPhase::ready) {
            return now == ShmPhase::open;
        }
        const auto entered = header().entered.load();
        if (rank_ == 0 && entered == header().size) {
            ShmSegment::remove(name);
            settle(ShmPhase::open);
        } else if (gives_up()) {
            settle(ShmPhase::failed);
        } else if (rank_ == 0) {
            futex_wait(header().entered, entered, poll_ms);
        } else {
            futex_wait(phase, static_cast<std::uint32_t>(ShmPhase::ready), poll_ms);
        }
    }
}

// Kind, rank and code in one word, so that all ranks tell the same.
void ShmRoom::break_for(const ShmCause& cause) noexcept {
    const auto word = static_cast<std::uint64_t>(cause.kind) << 56 |
                      static_cast<std::uint64_t>(cause.rank) << 32 |
                      static_cast<std::uint32_t>(cause.code);
    // An abort tells more than what it leads to; of two aborts the first is the cause.
    const auto gives_way = [&](std::uint64_t other) {
        return other == 0 || (cause.kind == ShmCause::Kind::aborted &&
                              static_cast<ShmCause::Kind>(other >> 56) != ShmCause::Kind::aborted);
    };
    auto before = header().cause.load();
    while (gives_way(before) && !header().cause.compare_exchange_weak(before, word)) {
        continue;
    }
    header().round.fetch_or(ShmHeader::broken_bit);
    futex_wake(header().round);
}

ShmCause ShmRoom::cause() const noexcept {
    const auto word = header().cause.load();
    return {static_cast<ShmCause::Kind>(word >> 56),
            static_cast<int>(word >> 32 & 0xffffff),
            static_cast<std::int32_t>(word & 0xffffffff)};
}

void ShmRoom::revoke() noexcept {
    is_revoked_ = true;
    break_for({ShmCause::Kind::revoked, rank_, 0});
}

std::string ShmRoom::name_of(const std::string& prefix, char kind, std::uint64_t number) const {
    return fmt::format("{}.{:016x}.{}{}", prefix, header().nonce, kind, number);
}

}  // namespace lockstep::comm
