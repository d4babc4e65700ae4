#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lockstep/comm/mailbox.hpp"

namespace lockstep::comm {

/// Queue of messages in shared memory, from one sender to one receiver; neither waits.
///
/// The memory is zeroed at first. A sender that is killed leaves its last message whole or absent.
class ShmRing {
public:
    /// Memory of a ring that holds messages of `room` bytes together.
    static std::size_t memory_bytes(std::size_t room);

    ShmRing(std::span<std::byte> memory, std::size_t room);

    /// @returns false when there is no room
    bool put(std::uint32_t tag, std::span<const std::byte> bytes);
    /// `from` is left to the caller.
    std::optional<Message> take();
    [[nodiscard]] bool is_empty() const;

private:
    /// Ever growing numbers of bytes: of the data area, and of messages alone.
    struct Ends {
        alignas(128) std::atomic<std::uint64_t> written;
        std::uint64_t sent;
        alignas(128) std::atomic<std::uint64_t> read;
        std::atomic<std::uint64_t> received;
    };
    /// Before each message.
    struct Head {
        std::uint64_t bytes;
        std::uint64_t tag;
    };

    [[nodiscard]] Ends& ends() const;
    void copy_in(std::uint64_t at, std::span<const std::byte> bytes);
    void copy_out(std::uint64_t at, std::span<std::byte> bytes) const;

    std::span<std::byte> memory_;
    std::span<std::byte> data_;
    std::size_t room_;
};

}  // namespace lockstep::comm
