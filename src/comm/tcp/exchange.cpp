#include "comm/tcp/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/tcp/frame.hpp"

namespace lockstep::comm::tcp {
namespace {

using Places = std::vector<std::span<std::byte>>;

constexpr std::size_t ring_from_bytes = std::size_t{64} << 10;

std::size_t bytes_without(const Places& places, int rank) {
    std::size_t bytes = 0;
    for (std::size_t other = 0; other < places.size(); ++other) {
        bytes += std::cmp_equal(other, rank) ? 0 : places[other].size();
    }
    return bytes;
}

std::span<std::byte> place_of(const Places& places, int rank) {
    return places[at(rank)];
}

FrameHeader header_of(Tag tag, const CallStamp& stamp, std::size_t length) {
    return {tag, static_cast<std::uint32_t>(stamp.sequence), 0, length};
}

/// Header and stamp of a contribution.
struct Head {
    std::array<std::byte, header_bytes + sizeof(CallStamp)> bytes{};

    Head() = default;
    Head(Tag tag, const CallStamp& stamp, std::size_t payload) {
        const auto header = encode(header_of(tag, stamp, sizeof stamp + payload));
        std::ranges::copy(header, bytes.begin());
        std::memcpy(bytes.data() + header_bytes, &stamp, sizeof stamp);
    }
    [[nodiscard]] CallStamp stamp() const {
        CallStamp stamp{};
        std::memcpy(&stamp, bytes.data() + header_bytes, sizeof stamp);
        return stamp;
    }
    /// A contribution of this tag, whatever its stamp says.
    void check_tag(Tag tag) const {
        const FrameHeader header = decode(std::span(bytes).first<header_bytes>());
        check_header(header, {tag, header.sequence, 0, header.length});
    }
    void check(Tag tag, const CallStamp& stamp, std::size_t payload) const {
        check_header(decode(std::span(bytes).first<header_bytes>()),
                     header_of(tag, stamp, sizeof stamp + payload));
    }
};

/// What rank 0 gets from another rank.
class Intake {
public:
    Intake(Link& link, const CallStamp& stamp, std::span<std::byte> place)
        : link_(link), stamp_(stamp), place_(place) {
        link_.reset();
        link_.expect(head_.bytes);
    }
    /// @returns whether all has come that this rank may send
    bool advance(Clock::time_point& came) {
        if (!link_.pull()) {
            return false;
        }
        if (!has_head_) {
            has_head_ = true;
            came = Clock::now();
            take_head();
        }
        return link_.pull();
    }
    [[nodiscard]] CallStamp stamp() const { return head_.stamp(); }

private:
    // What follows another call's head is of no use.
    void take_head() {
        head_.check_tag(Tag::contribution);
        if (head_.stamp() != stamp_) {
            return;
        }
        head_.check(Tag::contribution, stamp_, place_.size());
        link_.expect(place_);
    }

    Link& link_;
    const CallStamp& stamp_;
    std::span<std::byte> place_;
    Head head_;
    bool has_head_ = false;
};

bool push_all(std::span<Link> links) {
    bool is_done = true;
    for (Link& link : links) {
        is_done &= link.push();
    }
    return is_done;
}

// Every rank hears the same words as rank 0.
void tell_mismatch(Connections& connections, const CallStamp& stamp, const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text)).first(std::min(text.size(), control_bytes));
    const Bytes frame = frame_bytes(header_of(Tag::mismatch, stamp, 0), bytes);
    for (Link& link : connections.star()) {
        link.reset();
        link.send(frame);
    }
    connections.run(
        stamp.sequence, connections.star(), [&] { return push_all(connections.star()); });
}

void check_all_stamps(Connections& connections,
                      const CallStamp& own,
                      std::span<const Intake> intakes) {
    std::vector<CallStamp> stamps{own};
    for (const Intake& intake : intakes) {
        stamps.push_back(intake.stamp());
    }
    try {
        check_stamps(stamps);
    } catch (const CommError& mismatch) {
        tell_mismatch(connections, own, mismatch.what());
        throw;
    }
}

// Rank 0 collects and sends everything to everyone.
Clock::time_point lead_star(Connections& connections,
                            const CallStamp& stamp,
                            const Places& places) {
    std::vector<Intake> intakes;
    intakes.reserve(connections.star().size());
    for (Link& link : connections.star()) {
        intakes.emplace_back(link, stamp, place_of(places, link.rank()));
    }
    Clock::time_point came{};
    connections.run(stamp.sequence, connections.star(), [&] {
        bool is_done = true;
        for (Intake& intake : intakes) {
            is_done &= intake.advance(came);
        }
        return is_done;
    });
    check_all_stamps(connections, stamp, intakes);

    std::vector<EncodedHeader> headers(places.size());
    for (Link& link : connections.star()) {
        auto& header = headers[at(link.rank())];
        header = encode(header_of(Tag::result, stamp, bytes_without(places, link.rank())));
        link.send(header);
        for (std::size_t rank = 0; rank < places.size(); ++rank) {
            if (std::cmp_not_equal(rank, link.rank())) {
                link.send(places[rank]);
            }
        }
    }
    connections.run(
        stamp.sequence, connections.star(), [&] { return push_all(connections.star()); });
    return came;
}

/// What a rank gets back from rank 0.
class Answer {
public:
    Answer(Link& link, const CallStamp& stamp, const Places& places, int rank)
        : link_(link), stamp_(stamp), places_(places), rank_(rank) {
        link_.expect(header_);
    }
    bool advance(Clock::time_point& came) {
        if (!link_.pull()) {
            return false;
        }
        if (!has_header_) {
            has_header_ = true;
            came = Clock::now();
            take_header();
        }
        if (!link_.pull()) {
            return false;
        }
        if (!text_.empty()) {
            throw CommError(text_);
        }
        return true;
    }

private:
    void take_header() {
        const FrameHeader header = decode(header_);
        if (header.tag == Tag::mismatch && header.length > 0 && header.length <= control_bytes) {
            text_.resize(static_cast<std::size_t>(header.length));
            link_.expect(std::as_writable_bytes(std::span(text_)));
            return;
        }
        check_header(header, header_of(Tag::result, stamp_, bytes_without(places_, rank_)));
        for (std::size_t rank = 0; rank < places_.size(); ++rank) {
            if (std::cmp_not_equal(rank, rank_)) {
                link_.expect(places_[rank]);
            }
        }
    }

    Link& link_;
    const CallStamp& stamp_;
    const Places& places_;
    int rank_;
    EncodedHeader header_{};
    bool has_header_ = false;
    std::string text_;
};

Clock::time_point follow_star(Connections& connections,
                              const CallStamp& stamp,
                              const Places& places) {
    Link& link = connections.star().front();
    const auto own = place_of(places, connections.rank());
    const Head head(Tag::contribution, stamp, own.size());
    link.reset();
    link.send(head.bytes);
    link.send(own);
    Answer answer(link, stamp, places, connections.rank());
    Clock::time_point came{};
    connections.run(stamp.sequence, connections.star(), [&] {
        link.push();
        return answer.advance(came);
    });
    return came;
}

Clock::time_point star(Connections& connections, const CallStamp& stamp, const Places& places) {
    return connections.rank() == 0 ? lead_star(connections, stamp, places)
                                   : follow_star(connections, stamp, places);
}

// Two ranks need nobody between them.
Clock::time_point pair(Connections& connections, const CallStamp& stamp, const Places& places) {
    Link& link = connections.star().front();
    const auto own = place_of(places, connections.rank());
    const auto other = place_of(places, 1 - connections.rank());
    const Head head(Tag::pair, stamp, own.size());
    Head found;
    link.reset();
    link.send(head.bytes);
    link.send(own);
    link.expect(found.bytes);
    bool has_head = false;
    Clock::time_point came{};
    connections.run(stamp.sequence, connections.star(), [&] {
        const bool is_sent = link.push();
        if (!link.pull()) {
            return false;
        }
        if (!has_head) {
            has_head = true;
            came = Clock::now();
            found.check_tag(Tag::pair);
            std::array<CallStamp, 2> stamps{stamp, stamp};
            stamps[at(link.rank())] = found.stamp();
            check_stamps(stamps);
            found.check(Tag::pair, stamp, other.size());
            link.expect(other);
        }
        return link.pull() && is_sent;
    });
    return came;
}

// Each rank passes on what it gets as it comes: its own bytes first, those of the next rank never.
void ring(Connections& connections, const CallStamp& stamp, const Places& places) {
    const int ranks = connections.size();
    const auto place_before = [&](int steps) {
        return place_of(places, (connections.rank() + ranks - steps) % ranks);
    };
    Link& next = connections.next();
    Link& previous = connections.previous();
    const auto header = encode(header_of(Tag::ring, stamp, bytes_without(places, next.rank())));
    EncodedHeader found{};
    next.reset();
    previous.reset();
    next.send(header);
    for (int step = 0; step + 1 < ranks; ++step) {
        next.send(place_before(step));
    }
    previous.expect(found);
    bool has_header = false;
    const std::size_t own = place_before(0).size();
    connections.run(stamp.sequence, std::vector<Link*>{&next, &previous}, [&] {
        bool has_all = previous.pull();
        if (has_all && !has_header) {
            has_header = true;
            check_header(decode(found),
                         header_of(Tag::ring, stamp, bytes_without(places, connections.rank())));
            for (int step = 1; step < ranks; ++step) {
                previous.expect(place_before(step));
            }
            has_all = previous.pull();
        }
        // Both streams begin with a header, so that what has come less that is what may go on.
        const std::size_t came = has_header ? previous.received() : header_bytes;
        return next.push(own + came) && has_all;
    });
}

}  // namespace

Clock::time_point Exchange::over(Connections& connections) const {
    if (connections.size() == 1) {
        return Clock::now();
    }
    if (connections.size() == 2) {
        return pair(connections, stamp, places);
    }
    if (!may_go_around || bytes_without(places, -1) < ring_from_bytes) {
        return star(connections, stamp, places);
    }
    const auto came = star(connections, stamp, Places(places.size()));
    ring(connections, stamp, places);
    return came;
}

}  // namespace lockstep::comm::tcp
