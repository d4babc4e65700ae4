#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::comm {

struct Message {
    int from = 0;
    std::uint32_t tag = 0;
    std::vector<std::byte> bytes;
};

/// Messages between two ranks, beside the collectives, for task farms and parameter servers.
///
/// Order is kept from one sender to one receiver. Only wait() waits. All calls of one mailbox come
/// from one thread.
class Mailbox {
public:
    virtual ~Mailbox() = default;
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    /// Copies the message on its way to rank `to`, itself included.
    /// @returns false when there is no room: poll, then try again
    /// @throws CommError  no such rank, a message larger than the room, or the transport failed;
    ///         PeerFailed  the receiver is gone
    [[nodiscard]] virtual bool post(int to,
                                    std::uint32_t tag,
                                    std::span<const std::byte> bytes) = 0;

    /// The next message for this rank; nothing when none has come.
    /// @throws PeerFailed  a sender is gone and all that it sent has been polled
    [[nodiscard]] virtual std::optional<Message> poll() = 0;

    /// The next message for this rank, waited for: a few tries, then asleep until one comes.
    /// @returns nothing when none has come within `limit`; 0: as poll()
    /// @throws as poll(), soon after the loss
    [[nodiscard]] std::optional<Message> wait(std::chrono::milliseconds limit);

    /// Goes on without a rank that is gone: poll() and wait() tell of its loss no more. What it
    /// sent before still comes.
    /// @throws CommError  no such rank
    virtual void forget(int rank) = 0;

protected:
    /// Sleeps until a message may have come, or a rank may have gone, at most `limit`; may return
    /// early.
    virtual void sleep(std::chrono::milliseconds limit) = 0;
};

}  // namespace lockstep::comm
