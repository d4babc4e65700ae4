#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

#include "comm/shm/barrier.hpp"
#include "comm/shm/chunks.hpp"
#include "comm/shm/room.hpp"

namespace lockstep::comm {

/// Ranks of one node in a room that all of them have entered.
///
/// It is made, used and destroyed on one thread, which lives as long: see ShmRoom.
class ShmCommunicator final : public Communicator {
public:
    /// A part of a run does not survive losses, the run does.
    enum class Role { run, part };
    /// @param settings  name, buffers and spinning of this and of what is made from it
    /// @param single_copy  every rank may read the memory of every other one
    ShmCommunicator(std::shared_ptr<ShmRoom> room, ShmConfig settings, bool single_copy, Role role);

    /// Breaks this communicator, on all its ranks, and what was made from it; nothing once they are
    /// gone.
    [[nodiscard]] std::function<void()> revocation() const;

    [[nodiscard]] int rank() const noexcept override { return room_->rank(); }
    [[nodiscard]] int size() const noexcept override { return room_->size(); }
    [[nodiscard]] std::string_view backend() const noexcept override { return "shm"; }
    [[noreturn]] void abort(int code) override;
    [[nodiscard]] std::string host(int rank) const override;
    [[nodiscard]] bool can_recover() const noexcept override { return role_ == Role::run; }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override;
    void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) override;
    void do_barrier(const CallStamp& stamp) override;
    std::unique_ptr<Communicator> do_split_local() override;
    std::unique_ptr<SharedMemory> do_allocate(std::size_t bytes) override;
    std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) override;
    std::vector<int> do_recover() override;

private:
    /// Revocations of what was made from it.
    using Made = std::vector<std::function<void()>>;

    void transfer(const CallStamp& stamp, std::span<const std::byte> send);
    void transfer_staged(const CallStamp& stamp, std::span<const std::byte> send);
    void transfer_directly(const CallStamp& stamp, std::span<const std::byte> send);
    void read_part(const CallStamp& stamp, int rank, std::uint64_t address);
    /// First round of a collective: all ranks have come, with the same call.
    void enter(const CallStamp& stamp, const void* address);
    void compare_stamps(const CallStamp& stamp, std::uint32_t parity) const;
    [[nodiscard]] bool is_worth_reading_directly() const;
    [[nodiscard]] std::string next_name(char kind);

    std::shared_ptr<ShmRoom> room_;
    ShmConfig settings_;
    ShmBarrier barrier_;
    bool single_copy_;
    Role role_;
    std::shared_ptr<Made> made_ = std::make_shared<Made>();
    std::vector<ShmPart> parts_;  // of the present collective, one a rank
    std::uint64_t names_ = 0;
    const CallClock& clock_;
};

}  // namespace lockstep::comm
