#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "lockstep/comm/communicator.hpp"

#include "runtime/farm/frames.hpp"

namespace lockstep::runtime {

/// Frames of any length between ranks, over a mailbox: cut into pieces, which wait here for room.
class Courier {
public:
    /// Collective, as its end is over MPI.
    explicit Courier(comm::Communicator& ranks);

    void send(int to, FrameKind kind, std::span<const std::byte> payload);
    /// What there is room for.
    /// @throws PeerFailed  a receiver is gone
    void flush();
    [[nodiscard]] bool has_output() const;

    struct Received {
        int from = 0;
        Frame frame;
    };
    /// @throws PeerFailed  as Mailbox::wait()
    std::optional<Received> wait(std::chrono::milliseconds limit);

    /// Goes on without a rank that is gone.
    void forget(int rank);
    [[nodiscard]] bool has_forgotten(int rank) const { return forgotten_.contains(rank); }

private:
    struct Piece {
        std::uint32_t tag;
        Bytes bytes;
    };
    struct Partial {
        Frame frame;
        std::uint64_t length = 0;
    };
    std::optional<Received> add(comm::Message&& message);

    std::unique_ptr<comm::Mailbox> mailbox_;
    std::map<int, std::deque<Piece>> output_;  // by receiver
    std::map<int, Partial> input_;             // by sender
    std::map<int, bool> forgotten_;
};

}  // namespace lockstep::runtime
