#include "comm/shm/communicator.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/backends.hpp"
#include "comm/call_clock.hpp"
#include "comm/shm/group.hpp"
#include "comm/shm/mailbox.hpp"
#include "comm/shm/memory.hpp"
#include "comm/shm/recovery.hpp"
#include "comm/shm/single_copy.hpp"

namespace lockstep::comm {
namespace {

// From here on the second barrier of a direct read costs less than the second copy of the bytes.
constexpr std::size_t direct_bytes = std::size_t{16} << 10;
constexpr std::size_t direct_bytes_oversubscribed = std::size_t{256} << 10;

void copy_bytes(std::byte* target, const std::byte* source, std::size_t bytes) {
    if (bytes > 0 && target != nullptr) {
        std::memcpy(target, source, bytes);
    }
}

}  // namespace

ShmCommunicator::ShmCommunicator(std::shared_ptr<ShmRoom> room,
                                 ShmConfig settings,
                                 bool single_copy,
                                 Role role)
    : room_(std::move(room)),
      settings_(std::move(settings)),
      barrier_(room_, settings_.spin),
      single_copy_(single_copy),
      role_(role),
      parts_(static_cast<std::size_t>(room_->size())),
      clock_(CallClock::shared()) {}

std::function<void()> ShmCommunicator::revocation() const {
    return [weak = std::weak_ptr(room_), made = made_] {
        if (const auto room = weak.lock()) {
            room->revoke();
        }
        for (const auto& revoke : *made) {
            revoke();
        }
    };
}

void ShmCommunicator::abort(int code) {
    barrier_.break_by_abort(code);
    std::_Exit(code);
}

std::string ShmCommunicator::host(int) const {
    return own_host();
}

void ShmCommunicator::do_allgatherv(const CallStamp& stamp,
                                    std::span<const std::byte> send,
                                    std::span<std::byte> receive,
                                    const Layout& layout) {
    for (int rank = 0; rank < size(); ++rank) {
        auto& part = parts_[at(rank)];
        part.bytes = static_cast<std::size_t>(layout.count(rank)) * stamp.width;
        // An empty part may start anywhere.
        part.target =
            part.bytes == 0
                ? nullptr
                : receive.data() + static_cast<std::size_t>(layout.offset(rank)) * stamp.width;
    }
    transfer(stamp, send);
}

void ShmCommunicator::do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) {
    std::ranges::fill(parts_, ShmPart());
    auto& part = parts_[at(root)];
    part.bytes = buffer.size();
    part.target = rank() == root ? nullptr : buffer.data();
    transfer(stamp, rank() == root ? buffer : std::span<std::byte>());
}

void ShmCommunicator::do_barrier(const CallStamp& stamp) {
    enter(stamp, nullptr);
}

void ShmCommunicator::transfer(const CallStamp& stamp, std::span<const std::byte> send) {
    if (is_worth_reading_directly()) {
        transfer_directly(stamp, send);
    } else {
        transfer_staged(stamp, send);
    }
}

bool ShmCommunicator::is_worth_reading_directly() const {
    std::size_t longest = 0;
    for (const auto& part : parts_) {
        longest = std::max(longest, part.bytes);
    }
    return single_copy_ && size() > 1 &&
           longest >= (barrier_.is_oversubscribed() ? direct_bytes_oversubscribed : direct_bytes);
}

// One barrier a chunk: a rank that writes into a half again has passed the barrier of the other
// half, which all entered after they had read this one.
void ShmCommunicator::transfer_staged(const CallStamp& stamp, std::span<const std::byte> send) {
    const auto own = static_cast<std::size_t>(rank());
    const auto ranks = parts_.size();
    const auto chunks = divide_into_chunks(parts_, room_->header().half_bytes);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        std::byte* half = room_->half(barrier_.parity()).data();
        const auto& part = parts_[own];
        copy_bytes(half + part.offset, send.data() + part.begin_of(chunk), part.bytes_of(chunk));
        if (chunk == 0) {
            enter(stamp, nullptr);
        } else {
            barrier_.wait(stamp);
        }
        for (std::size_t i = 1; i < ranks; ++i) {
            const auto& other = parts_[(own + i) % ranks];
            copy_bytes(
                other.target + other.begin_of(chunk), half + other.offset, other.bytes_of(chunk));
        }
    }
    copy_bytes(parts_[own].target, send.data(), parts_[own].bytes);
}

// The second barrier keeps what a rank sends in place until all have read it.
void ShmCommunicator::transfer_directly(const CallStamp& stamp, std::span<const std::byte> send) {
    const auto parity = barrier_.parity();
    enter(stamp, send.data());
    for (int i = 1; i < size(); ++i) {
        const int other = (rank() + i) % size();
        read_part(stamp, other, room_->slot(other).shown[parity].address);
    }
    const auto& own = parts_[at(rank())];
    copy_bytes(own.target, send.data(), own.bytes);
    barrier_.wait(stamp);
}

void ShmCommunicator::read_part(const CallStamp& stamp, int rank, std::uint64_t address) {
    const auto& part = parts_[at(rank)];
    if (part.bytes == 0 || part.target == nullptr ||
        read_from_rank(*room_, rank, address, {part.target, part.bytes})) {
        return;
    }
    // The memory of a killed process is gone a little before its mutex tells.
    for (int tries = 0; tries < 100; ++tries) {
        barrier_.look_for_losses(stamp);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    barrier_.break_by_failure();
    throw CommError(
        fmt::format("rank {} cannot read the memory of rank {} in {}; set "
                    "LOCKSTEP_SHM_SINGLE_COPY=0",
                    this->rank(),
                    rank,
                    to_string(stamp)));
}

void ShmCommunicator::enter(const CallStamp& stamp, const void* address) {
    const auto parity = barrier_.parity();
    room_->slot(rank()).shown[parity] = {stamp, std::bit_cast<std::uint64_t>(address)};
    const auto start = clock_.now();
    barrier_.wait(stamp);
    add_wait(clock_.seconds_since(start));
    compare_stamps(stamp, parity);
}

// Where all are equal to the own one no list is needed; where one differs, every rank sees it.
void ShmCommunicator::compare_stamps(const CallStamp& stamp, std::uint32_t parity) const {
    bool are_equal = true;
    for (int rank = 0; rank < size(); ++rank) {
        are_equal = are_equal && room_->slot(rank).shown[parity].stamp == stamp;
    }
    if (are_equal) {
        return;
    }
    std::vector<CallStamp> stamps;
    for (int rank = 0; rank < size(); ++rank) {
        stamps.push_back(room_->slot(rank).shown[parity].stamp);
    }
    check_stamps(stamps);
}

std::unique_ptr<Communicator> ShmCommunicator::do_split_local() {
    std::vector<int> all(static_cast<std::size_t>(size()));
    std::iota(all.begin(), all.end(), 0);
    auto node = make_shm_group(*this, all, settings_);
    made_->push_back(std::move(node.revoke));
    return std::move(node.communicator);
}

std::unique_ptr<SharedMemory> ShmCommunicator::do_allocate(std::size_t bytes) {
    return share_memory(*this, next_name('r'), bytes);
}

std::unique_ptr<Mailbox> ShmCommunicator::do_open_mailbox(std::size_t bytes) {
    auto memory = share_memory(*this, next_name('m'), ShmMailbox::memory_bytes(size(), bytes));
    return std::make_unique<ShmMailbox>(room_, std::move(memory), bytes);
}

std::vector<int> ShmCommunicator::do_recover() {
    auto survival = meet_survivors(*room_, settings_);
    for (const auto& revoke : *made_) {
        revoke();
    }
    made_->clear();
    room_->leave();
    room_ = std::move(survival.room);
    barrier_ = ShmBarrier(room_, settings_.spin);
    parts_.resize(static_cast<std::size_t>(size()));
    return survival.lost;
}

std::string ShmCommunicator::next_name(char kind) {
    return room_->name_of(settings_.name, kind, names_++);
}

}  // namespace lockstep::comm
