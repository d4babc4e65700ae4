#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "comm/shm/room.hpp"

namespace lockstep::comm {

/// Barrier of a room, round by round.
///
/// One word decides a round: either every rank passes it, or every rank that is left throws in it.
/// So survivors of a lost rank have all completed the same rounds.
class ShmBarrier {
public:
    /// @param spin  tries before a rank sleeps; -1: brief ones, by ranks, cores and what else runs
    ShmBarrier(std::shared_ptr<ShmRoom> room, int spin);

    /// Of the present round: which half of the staging area, which of two shown stamps.
    [[nodiscard]] std::uint32_t parity() const noexcept;

    /// @param call  what this rank is doing, for messages
    /// @throws PeerFailed  another rank died, left or revoked the room; CommError  another rank
    ///         aborted or broke the room, or this one revoked it
    void wait(const CallStamp& call);

    /// No rank passes this round or a later one.
    void break_by_abort(int code) noexcept;
    /// @throws PeerFailed  some rank is gone
    void look_for_losses(const CallStamp& call);
    /// This rank alone cannot go on.
    void break_by_failure() noexcept;

    /// More ranks than cores that they may run on.
    [[nodiscard]] bool is_oversubscribed() const noexcept { return is_oversubscribed_; }

private:
    void find_losses() noexcept;
    void complete(std::uint32_t round) noexcept;
    void sleep_through(std::uint32_t round) noexcept;
    [[nodiscard]] bool has_passed(std::uint32_t round) const noexcept;
    void try_often(std::uint32_t round) noexcept;
    void yield(std::uint32_t round) noexcept;
    [[noreturn]] void throw_cause(const CallStamp& call) const;

    std::shared_ptr<ShmRoom> room_;
    bool is_oversubscribed_;
    int spin_;
    int rest_;                  // barriers without yields, the next time that one is in vain
    int barriers_to_rest_ = 0;  // still without
};

}  // namespace lockstep::comm
