#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

#include "app/xpcs/batch/pipeline.hpp"

namespace lockstep::app {

/// What the ranks of a batch tell the first one while they work, so that it can tell people. It
/// decides nothing: after a loss it goes on with the others, and the next collective tells. Over
/// MPI it falls silent.
class RankMail {
public:
    /// Collective.
    explicit RankMail(comm::Communicator& ranks);

    /// To the first rank; nothing on it.
    void send(const BatchEvent& event);
    /// This rank has told all.
    void end();
    /// Of another rank, on the first one; sends what waits on the others.
    std::optional<BatchEvent> receive(std::chrono::milliseconds limit);
    /// There is nothing to wait for: all others have told all, or on them all is sent.
    [[nodiscard]] bool is_done() const noexcept;

private:
    struct Letter {
        std::uint32_t tag;
        std::vector<std::byte> bytes;
    };
    void put(std::uint32_t tag, std::string_view text);
    void post_waiting();
    void hear(const CommError& error);

    bool is_first_;
    bool has_ended_ = false;
    bool is_broken_ = false;
    std::vector<bool> is_lost_;  // by rank
    std::vector<bool> is_open_;  // by rank: it will tell more
    std::unique_ptr<comm::Mailbox> box_;
    std::deque<Letter> waiting_;
};

}  // namespace lockstep::app
