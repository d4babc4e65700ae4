#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/comm/mailbox.hpp"
#include "lockstep/comm/region.hpp"

#include "comm/shm/ring.hpp"
#include "comm/shm/room.hpp"

namespace lockstep::comm {

/// A ring for each ordered pair of ranks, in memory that all of them map.
class ShmMailbox final : public Mailbox {
public:
    /// @throws CommError  more than any memory holds
    static std::size_t memory_bytes(int ranks, std::size_t room);

    ShmMailbox(std::shared_ptr<ShmRoom> ranks,
               std::unique_ptr<SharedMemory> memory,
               std::size_t room);

    bool post(int to, std::uint32_t tag, std::span<const std::byte> bytes) override;
    std::optional<Message> poll() override;
    void forget(int rank) override;

protected:
    void sleep(std::chrono::milliseconds limit) override;

private:
    /// What the receiver sleeps on; in the shared memory after the rings, zeroed at first.
    struct alignas(128) Bell {
        std::atomic<std::uint32_t> rings;
        std::atomic<std::uint32_t> sleepers;
    };
    static std::size_t rings_bytes(int ranks, std::size_t room);
    [[nodiscard]] Bell& bell(int rank);
    [[nodiscard]] bool has_mail();
    [[nodiscard]] ShmRing& ring(int from, int to);
    void check_for_losses();
    void check_whole() const;

    std::shared_ptr<ShmRoom> ranks_;
    std::unique_ptr<SharedMemory> memory_;
    std::size_t room_;
    std::vector<ShmRing> rings_;
    std::vector<bool> is_forgotten_;  // by rank
    int next_ = 0;                    // sender to ask first
    std::chrono::steady_clock::time_point looked_;
};

}  // namespace lockstep::comm
