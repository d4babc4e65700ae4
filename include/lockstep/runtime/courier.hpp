#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// Messages of any length between ranks, over a mailbox: cut into pieces, which wait here for room.
class Courier {
public:
    /// Collective, as its end is over MPI.
    explicit Courier(comm::Communicator& ranks);

    /// @param kind  any but 2^32 - 1
    void send(int to, std::uint32_t kind, std::span<const std::byte> payload);
    /// What there is room for.
    /// @throws PeerFailed  a receiver is gone
    void flush();
    [[nodiscard]] bool has_output() const;

    struct Received {
        int from = 0;
        std::uint32_t kind = 0;
        std::vector<std::byte> payload;
    };
    /// @throws PeerFailed  as Mailbox::wait()
    std::optional<Received> wait(std::chrono::milliseconds limit);

    /// Goes on without a rank that is gone.
    void forget(int rank);
    [[nodiscard]] bool has_forgotten(int rank) const { return forgotten_.contains(rank); }

private:
    struct Piece {
        std::uint32_t tag;
        std::vector<std::byte> bytes;
    };
    struct Partial {
        Received received;
        std::uint64_t length = 0;
    };
    std::optional<Received> add(comm::Message&& message);

    std::unique_ptr<comm::Mailbox> mailbox_;
    std::map<int, std::deque<Piece>> output_;  // by receiver
    std::map<int, Partial> input_;             // by sender
    std::map<int, bool> forgotten_;
};

}  // namespace lockstep::runtime
