#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/shm/control.hpp"
#include "comm/shm/segment.hpp"

namespace lockstep::comm {

/// A segment where a fixed number of ranks meet, as one of them sees it.
///
/// A rank is in the room from construction to leave(). The thread that enters must be the one that
/// leaves, and must live in between: when it ends, the rank counts as dead.
class ShmRoom {
public:
    struct Shape {
        int size = 1;
        std::size_t buffer_bytes = 0;  ///< of each half of the staging area, at least
    };

    /// Makes the room and enters it as rank 0.
    /// @returns null when the name is taken
    /// @throws IoError  as ShmSegment::create
    static std::shared_ptr<ShmRoom> create(const std::string& name, const Shape& shape);
    /// Enters a room that another rank has made.
    /// @returns null when there is none of that name, it is not ready, or rank 0 is gone
    /// @throws CommError  it is of another size or program, or the rank is there already
    static std::shared_ptr<ShmRoom> join(const std::string& name, int rank, const Shape& shape);
    /// Who holds a name: nobody yet, a room in the making, one whose rank 0 lives or not, or memory
    /// of something else.
    enum class Holder { none, unready, alive, dead, foreign };
    static Holder holder_of(const std::string& name);

    ShmRoom(const ShmRoom&) = delete;
    ShmRoom& operator=(const ShmRoom&) = delete;
    ~ShmRoom();

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(header().size); }
    [[nodiscard]] ShmHeader& header() const noexcept;
    [[nodiscard]] ShmSlot& slot(int rank) const noexcept;
    /// Staging memory for rounds of one parity.
    [[nodiscard]] std::span<std::byte> half(std::uint32_t parity) const noexcept;

    /// Where a rank stands; asks the kernel whether it lives.
    [[nodiscard]] ShmPresence presence(int rank) const;
    /// Neither awaited nor present.
    [[nodiscard]] bool is_gone(int rank) const;
    [[nodiscard]] bool has_losses() const;
    /// Entered, and did not leave.
    [[nodiscard]] bool is_present() const noexcept { return is_present_; }

    /// Waits until all ranks have entered, the first of which then removes the name. All ranks get
    /// the same answer, whoever dies or gives up meanwhile.
    /// @param gives_up  asked now and then; true when a rank will not come
    [[nodiscard]] bool meet(const std::string& name, const std::function<bool()>& gives_up);

    /// Takes part no longer. Later calls do nothing.
    void leave() noexcept;

    /// No rank completes another round. All tell the first cause, or that of an abort.
    void break_for(const ShmCause& cause) noexcept;
    [[nodiscard]] ShmCause cause() const noexcept;
    /// What it was made for is over: breaks it, and this rank knows why.
    void revoke() noexcept;
    [[nodiscard]] bool is_revoked() const noexcept { return is_revoked_; }

    /// A name for something that the ranks of this room share.
    [[nodiscard]] std::string name_of(const std::string& prefix,
                                      char kind,
                                      std::uint64_t number) const;

private:
    ShmRoom(ShmSegment segment, int rank) : segment_(std::move(segment)), rank_(rank) {}

    bool enter();

    ShmSegment segment_;
    int rank_;
    bool is_present_ = false;
    bool is_revoked_ = false;
    std::uint64_t cookie_ = 0;
};

/// A number that no other room has.
std::uint64_t shm_nonce();

}  // namespace lockstep::comm
