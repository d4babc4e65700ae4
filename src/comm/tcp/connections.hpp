#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <poll.h>

#include "comm/backends.hpp"
#include "comm/tcp/failure_detector.hpp"
#include "comm/tcp/membership.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

/// The connection to a rank has ended.
class LinkLost : public CommError {
public:
    LinkLost(const std::string& message, int rank) : CommError(message), rank_(rank) {}
    [[nodiscard]] int rank() const noexcept { return rank_; }

private:
    int rank_;
};

/// A connection to one rank with the bytes that are to go out and to come in by it.
class Link {
public:
    Link(Socket socket, int rank) : socket_(std::move(socket)), rank_(rank) {}

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] const Socket& socket() const noexcept { return socket_; }
    /// Bytes to send, to receive; they must stay where they are until done or reset().
    void send(std::span<const std::byte> bytes);
    void expect(std::span<std::byte> bytes);
    /// Moves what can be moved at once, of the outgoing bytes the first `limit` only.
    /// @returns whether nothing is left
    /// @throws LinkLost
    bool push(std::size_t limit = SIZE_MAX);
    bool pull();
    /// Bytes that have come since reset().
    [[nodiscard]] std::size_t received() const noexcept { return in_.moved; }
    /// Forgets what is left.
    void reset();

    [[nodiscard]] bool is_sending() const noexcept { return !out_.is_empty(); }
    [[nodiscard]] bool is_receiving() const noexcept { return !in_.is_empty(); }
    /// Whether the kernel can be asked to tell when more can be sent.
    [[nodiscard]] bool is_held_back() const noexcept { return is_held_back_; }

private:
    struct Queue {
        std::vector<iovec> pieces;
        std::size_t first = 0;  // piece that is not yet moved
        std::size_t moved = 0;  // bytes
        [[nodiscard]] bool is_empty() const noexcept { return first == pieces.size(); }
        void clear() noexcept;
    };
    static std::size_t fill(const Queue& queue, std::size_t limit, std::span<iovec> window);
    static void advance(Queue& queue, std::size_t bytes);

    Socket socket_;
    int rank_;
    Queue out_;
    Queue in_;
    bool is_held_back_ = false;
};

/// Made from a communicator, and useless once that has recovered.
class Revocable {
public:
    virtual ~Revocable() = default;
    Revocable() = default;
    Revocable(const Revocable&) = delete;
    Revocable& operator=(const Revocable&) = delete;
    virtual void revoke() noexcept = 0;
};

/// The connections of one communicator: every rank with rank 0 (star), and from three ranks on each
/// with the next (ring).
class Connections final : public Revocable {
public:
    struct Place {
        std::uint64_t group = 0;
        int rank = 0;
        std::vector<Member> members;
        /// Ids by rank.
        [[nodiscard]] std::vector<int> ids() const;
        /// Rank of an id; -1: it is no member.
        [[nodiscard]] int rank_of(int id) const noexcept;
        /// Name for the n-th communicator or mailbox that is made from this one.
        [[nodiscard]] std::uint64_t derived_group(std::uint64_t n) const;
    };
    /// Connects. Collective.
    /// @throws LinkLost, RankLost, CommError  a member is gone, or too late
    Connections(FailureDetector& detector, Place place, int timeout_ms, Deadline deadline);

    [[nodiscard]] int rank() const noexcept { return place_.rank; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(place_.members.size()); }
    [[nodiscard]] const Place& place() const noexcept { return place_; }
    /// Ids of the members by rank.
    [[nodiscard]] std::span<const int> ids() const noexcept { return ids_; }

    /// To rank 0; on rank 0 to the others, that of rank r is star()[r - 1].
    [[nodiscard]] std::span<Link> star() noexcept { return star_; }
    [[nodiscard]] Link& next() noexcept { return ring_.back(); }
    [[nodiscard]] Link& previous() noexcept { return ring_.front(); }

    /// Calls step() until it returns true, and waits in between for the links to move.
    /// @param sequence  of the call, to tell old news from what concerns it
    /// @throws LinkLost; RankLost; CommError  it takes longer than timeout_ms
    template <typename F>
    void run(std::uint64_t sequence, std::span<Link> links, F&& step);
    template <typename F>
    void run(std::uint64_t sequence, std::vector<Link*> links, F&& step);

    /// All links end; who waits on their other ends wakes.
    void shut_down() noexcept;
    void revoke() noexcept override;

private:
    void open_star(Deadline deadline);
    void open_ring(Deadline deadline);
    void wait(std::uint64_t sequence, Deadline deadline);
    void must_be_whole(std::uint64_t sequence);
    void check(std::size_t entry);
    [[nodiscard]] std::string late_ranks() const;

    FailureDetector& detector_;
    Place place_;
    std::vector<int> ids_;
    int timeout_ms_;
    bool spins_;
    bool is_revoked_ = false;
    std::shared_ptr<Bell> bell_;
    std::vector<Link> star_;
    std::vector<Link> ring_;     // from the previous rank, to the next
    std::vector<Link*> active_;  // of the present run
    std::vector<pollfd> entries_;
};

/// A link that this rank opens to another member, or that the other opens to this one.
/// @throws LinkLost, RankLost  it is gone; CommError  too late
Socket open_link(FailureDetector& detector,
                 const Connections::Place& place,
                 Channel channel,
                 int rank,
                 Deadline deadline);
Socket claim_link(FailureDetector& detector,
                  const Connections::Place& place,
                  Channel channel,
                  int rank,
                  Deadline deadline);

constexpr auto spin_time = std::chrono::microseconds(50);

template <typename F>
void Connections::run(std::uint64_t sequence, std::vector<Link*> links, F&& step) {
    if (is_revoked_) {
        throw CommError(revoked_words);
    }
    active_ = std::move(links);
    const Deadline deadline = timeout_ms_ > 0 ? after_ms(timeout_ms_) : no_deadline;
    while (!step()) {
        const Deadline spin_until = Clock::now() + spin_time;
        bool is_done = false;
        while (spins_ && !is_done && Clock::now() < spin_until) {
            is_done = step();
        }
        if (is_done) {
            return;
        }
        wait(sequence, deadline);
    }
}

template <typename F>
void Connections::run(std::uint64_t sequence, std::span<Link> links, F&& step) {
    std::vector<Link*> pointers;
    for (Link& link : links) {
        pointers.push_back(&link);
    }
    run(sequence, std::move(pointers), step);
}

}  // namespace lockstep::comm::tcp
