#include "comm/tcp/connections.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr std::size_t window_pieces = 64;

// Ranks that wait by trying again need a core each.
bool may_spin(const Connections::Place& place) {
    const std::string& own = place.members[at(place.rank)].node;
    std::vector<std::string> cores;
    for (const Member& member : place.members) {
        if (member.node == own) {
            cores.push_back(member.cores);
        }
    }
    return std::cmp_less_equal(cores.size(), count_cores(cores));
}

}  // namespace

void Link::Queue::clear() noexcept {
    pieces.clear();
    first = 0;
    moved = 0;
}

void Link::send(std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
        out_.pieces.push_back({const_cast<std::byte*>(bytes.data()), bytes.size()});
    }
}

void Link::expect(std::span<std::byte> bytes) {
    if (!bytes.empty()) {
        in_.pieces.push_back({bytes.data(), bytes.size()});
    }
}

// As many pieces as fit into the window and below the limit.
std::size_t Link::fill(const Queue& queue, std::size_t limit, std::span<iovec> window) {
    std::size_t count = 0;
    std::size_t left = limit - std::min(limit, queue.moved);
    for (std::size_t i = queue.first; i < queue.pieces.size(); ++i) {
        if (left == 0 || count == window.size()) {
            break;
        }
        const iovec& piece = queue.pieces[i];
        window[count] = piece;
        window[count].iov_len = std::min(piece.iov_len, left);
        left -= window[count].iov_len;
        ++count;
    }
    return count;
}

void Link::advance(Queue& queue, std::size_t bytes) {
    queue.moved += bytes;
    while (bytes > 0) {
        iovec& piece = queue.pieces[queue.first];
        const std::size_t part = std::min(bytes, piece.iov_len);
        piece.iov_base = static_cast<std::byte*>(piece.iov_base) + part;
        piece.iov_len -= part;
        bytes -= part;
        if (piece.iov_len == 0) {
            ++queue.first;
        }
    }
}

bool Link::push(std::size_t limit) {
    std::array<iovec, window_pieces> window{};
    is_held_back_ = false;
    while (const std::size_t count = fill(out_, limit, window)) {
        try {
            const std::size_t sent = socket_.send_some(std::span(window).first(count));
            advance(out_, sent);
            if (sent == 0) {
                return false;
            }
        } catch (const Disconnected& loss) {
            throw LinkLost(loss.what(), rank_);
        }
    }
    is_held_back_ = is_sending();
    return !is_held_back_;
}

bool Link::pull() {
    std::array<iovec, window_pieces> window{};
    while (const std::size_t count = fill(in_, SIZE_MAX, window)) {
        try {
            const std::size_t received = socket_.receive_some(std::span(window).first(count));
            advance(in_, received);
            if (received == 0) {
                return false;
            }
        } catch (const Disconnected& loss) {
            throw LinkLost(loss.what(), rank_);
        }
    }
    return true;
}

void Link::reset() {
    out_.clear();
    in_.clear();
    is_held_back_ = false;
}

std::vector<int> Connections::Place::ids() const {
    std::vector<int> ids;
    for (const Member& member : members) {
        ids.push_back(member.id);
    }
    return ids;
}

int Connections::Place::rank_of(int id) const noexcept {
    const auto found = std::ranges::find(members, id, &Member::id);
    return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

std::uint64_t Connections::Place::derived_group(std::uint64_t n) const {
    DigestBuilder builder;
    builder.add(group);
    builder.add(n);
    return builder.digest()[0];
}

Connections::Connections(FailureDetector& detector, Place place, int timeout_ms, Deadline deadline)
    : detector_(detector),
      place_(std::move(place)),
      ids_(place_.ids()),
      timeout_ms_(timeout_ms),
      spins_(may_spin(place_)),
      bell_(std::make_shared<Bell>()) {
    detector_.attach(bell_);
    open_star(deadline);
    open_ring(deadline);
}

void Connections::open_star(Deadline deadline) {
    if (rank() > 0) {
        star_.emplace_back(open_link(detector_, place_, Channel::star, 0, deadline), 0);
    } else {
        for (int other = 1; other < size(); ++other) {
            star_.emplace_back(claim_link(detector_, place_, Channel::star, other, deadline),
                               other);
        }
    }
}

void Connections::open_ring(Deadline deadline) {
    if (size() < 3) {
        return;
    }
    const int after = (rank() + 1) % size();
    const int before = (rank() + size() - 1) % size();
    Socket to_next = open_link(detector_, place_, Channel::ring, after, deadline);
    ring_.emplace_back(claim_link(detector_, place_, Channel::ring, before, deadline), before);
    ring_.emplace_back(std::move(to_next), after);
}

// News count only when nothing else moves: what has been sent before a loss still arrives.
void Connections::wait(std::uint64_t sequence, Deadline deadline) {
    must_be_whole(sequence);
    if (Clock::now() >= deadline) {
        throw CommError(fmt::format(
            "took longer than {} ms (LOCKSTEP_TCP_TIMEOUT_MS); {}", timeout_ms_, late_ranks()));
    }
    entries_.assign(1, {bell_->fd(), POLLIN, 0});
    for (const Link* link : active_) {
        int events = 0;
        if (link->is_receiving()) {
            events |= POLLIN;
        }
        if (link->is_sending()) {
            events |= POLLRDHUP | (link->is_held_back() ? 0 : POLLOUT);
        }
        entries_.push_back({events == 0 ? -1 : link->socket().fd(), static_cast<short>(events), 0});
    }
    poll(entries_.data(), entries_.size(), slice_ms(deadline));
    for (std::size_t i = 0; i < active_.size(); ++i) {
        check(i);
    }
}

void Connections::must_be_whole(std::uint64_t sequence) {
    bell_->silence();
    if (const auto cause = detector_.cause(place_.group, sequence, ids_)) {
        throw RankLost(*cause);
    }
}

// The end of a link by which nothing is expected shows only here.
void Connections::check(std::size_t entry) {
    const Link& link = *active_[entry];
    const int ended = POLLRDHUP | POLLHUP | POLLERR;
    if ((entries_[entry + 1].revents & ended) != 0 && !link.is_receiving()) {
        throw LinkLost("tcp: the other end has closed the connection", link.rank());
    }
}

std::string Connections::late_ranks() const {
    std::vector<int> late;
    for (const Link* link : active_) {
        if (link->is_receiving() || link->is_sending()) {
            late.push_back(link->rank());
        }
    }
    return fmt::format("rank {} waits for {}", rank(), fmt::join(late, ", "));
}

void Connections::shut_down() noexcept {
    for (const Link& link : star_) {
        link.socket().shut_down();
    }
    for (const Link& link : ring_) {
        link.socket().shut_down();
    }
}

Socket open_link(FailureDetector& detector,
                 const Connections::Place& place,
                 Channel channel,
                 int rank,
                 Deadline deadline) {
    const Member& member = place.members[at(rank)];
    while (true) {
        Socket socket;
        try {
            socket = Socket::connect(address_of(member), deadline);
        } catch (const Disconnected& loss) {
            throw LinkLost(loss.what(), rank);
        }
        try {
            socket.watch(detector.settings().dead_after_ms, false);
            Hello hello = detector.hello(Purpose::link);
            hello.channel = channel;
            hello.group = place.group;
            introduce(socket, hello, detector.settings().secret, deadline);
            return socket;
        } catch (const Disconnected&) {
            // A crowd at its door has pushed this visitor out, or the rank has ended: then nobody
            // listens any more.
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
}

Socket claim_link(FailureDetector& detector,
                  const Connections::Place& place,
                  Channel channel,
                  int rank,
                  Deadline deadline) {
    const auto ids = place.ids();
    Socket socket = detector.claim(channel, place.group, ids[at(rank)], ids, deadline);
    socket.watch(detector.settings().dead_after_ms, false);
    return socket;
}

void Connections::revoke() noexcept {
    is_revoked_ = true;
    shut_down();
}

}  // namespace lockstep::comm::tcp
