#include "comm/shm/ring.hpp"

#include <algorithm>
#include <cstring>

namespace lockstep::comm {
namespace {

// Heads take space of their own: so many short messages fit beside the long ones.
std::size_t data_bytes(std::size_t room) {
    constexpr std::size_t line = 128;
    return (room + room / 4 + 4096 + line - 1) / line * line;
}

}  // namespace

std::size_t ShmRing::memory_bytes(std::size_t room) {
    return sizeof(Ends) + data_bytes(room);
}

ShmRing::ShmRing(std::span<std::byte> memory, std::size_t room)
    : memory_(memory), data_(memory.subspan(sizeof(Ends), data_bytes(room))), room_(room) {}

bool ShmRing::put(std::uint32_t tag, std::span<const std::byte> bytes) {
    auto& ends = this->ends();
    const auto written = ends.written.load(std::memory_order_relaxed);
    const auto held = written - ends.read.load(std::memory_order_acquire);
    const auto messages = ends.sent - ends.received.load(std::memory_order_acquire);
    if (held + sizeof(Head) + bytes.size() > data_.size() || messages + bytes.size() > room_) {
        return false;
    }
    const Head head{bytes.size(), tag};
    copy_in(written, std::as_bytes(std::span<const Head, 1>(&head, 1)));
    copy_in(written + sizeof(Head), bytes);
    ends.sent += bytes.size();
    ends.written.store(written + sizeof(Head) + bytes.size(), std::memory_order_release);
    return true;
}

std::optional<Message> ShmRing::take() {
    auto& ends = this->ends();
    const auto read = ends.read.load(std::memory_order_relaxed);
    if (ends.written.load(std::memory_order_acquire) == read) {
        return {};
    }
    Head head{};
    copy_out(read, std::as_writable_bytes(std::span<Head, 1>(&head, 1)));
    Message message;
    message.tag = static_cast<std::uint32_t>(head.tag);
    message.bytes.resize(head.bytes);
    copy_out(read + sizeof(Head), message.bytes);
    ends.received.fetch_add(head.bytes, std::memory_order_release);
    ends.read.store(read + sizeof(Head) + head.bytes, std::memory_order_release);
    return message;
}

bool ShmRing::is_empty() const {
    return ends().written.load(std::memory_order_acquire) ==
           ends().read.load(std::memory_order_relaxed);
}

ShmRing::Ends& ShmRing::ends() const {
    return *static_cast<Ends*>(static_cast<void*>(memory_.data()));
}

void ShmRing::copy_in(std::uint64_t at, std::span<const std::byte> bytes) {
    const auto start = static_cast<std::size_t>(at % data_.size());
    const auto first = std::min(bytes.size(), data_.size() - start);
    std::ranges::copy(bytes.first(first), data_.data() + start);
    std::ranges::copy(bytes.subspan(first), data_.data());
}

void ShmRing::copy_out(std::uint64_t at, std::span<std::byte> bytes) const {
    const auto start = static_cast<std::size_t>(at % data_.size());
    const auto first = std::min(bytes.size(), data_.size() - start);
    std::ranges::copy(data_.subspan(start, first), bytes.data());
    std::ranges::copy(data_.first(bytes.size() - first), bytes.data() + first);
}

}  // namespace lockstep::comm
