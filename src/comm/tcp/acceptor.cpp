#include "comm/tcp/acceptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

namespace lockstep::comm::tcp {
namespace {

constexpr auto patience_for_hello = std::chrono::milliseconds(2000);
constexpr auto patience_for_proof = std::chrono::milliseconds(5000);

}  // namespace

Acceptor::Acceptor(Descriptor listener, const Secret& secret, Reception::Judge judge)
    : listener_(std::move(listener)), secret_(secret), judge_(std::move(judge)) {}

void Acceptor::watch(std::vector<pollfd>& entries) const {
    if (Clock::now() >= open_again_) {
        entries.push_back({listener_.fd(), POLLIN, 0});
    }
    for (const Visitor& visitor : visitors_) {
        entries.push_back({visitor.socket.fd(), POLLIN, 0});
    }
    for (const auto& [id, joined] : joined_) {
        entries.push_back({joined.socket.fd(), POLLIN, 0});
    }
}

void Acceptor::serve() {
    accept();
    for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
        const bool is_over = is_done(*visitor);
        if (is_over && visitor->reception.state() == Reception::State::accepted) {
            let_in(std::move(*visitor));
        }
        visitor = is_over ? visitors_.erase(visitor) : std::next(visitor);
    }
    drop_oldest_beyond(most_silent, false);
    drop_oldest_beyond(most_unproven, true);
    drop_who_hung_up();
}

// So many at once that a crowd does not keep those inside from being served.
void Acceptor::accept() {
    for (auto left = most_silent; left > 0; --left) {
        errno = 0;
        Socket socket = accept_from(listener_);
        if (!socket.is_open()) {
            if (errno == EMFILE || errno == ENFILE) {
                drop_oldest_beyond(0, false);
                open_again_ = after_ms(50);
            }
            return;
        }
        visitors_.push_back(
            {std::move(socket), Reception(secret_, draw_nonce(), judge_), Clock::now()});
    }
}

void Acceptor::drop_oldest_beyond(std::ptrdiff_t most, bool has_greeted) {
    auto excess = -most + std::ranges::count_if(visitors_, [&](const Visitor& visitor) {
        return visitor.reception.has_hello() == has_greeted;
    });
    std::erase_if(visitors_, [&](const Visitor& visitor) {
        return visitor.reception.has_hello() == has_greeted && excess-- > 0;
    });
}

// Accepted, turned away, gone or late.
bool Acceptor::is_done(Visitor& visitor) const {
    try {
        std::array<std::byte, 1024> bytes{};
        const std::size_t count = visitor.socket.receive_some(bytes);
        const auto state = visitor.reception.feed(std::span(bytes).first(count));
        // So few bytes always fit into an empty stream.
        visitor.socket.send_some(visitor.reception.take_output());
        const auto patience =
            visitor.reception.has_hello() ? patience_for_proof : patience_for_hello;
        return state != Reception::State::open || Clock::now() - visitor.since > patience;
    } catch (const Disconnected&) {
        return true;
    }
}

void Acceptor::let_in(Visitor visitor) {
    const Hello& hello = visitor.reception.hello();
    Joined joined{hello, std::move(visitor.socket)};
    if (hello.purpose == Purpose::join) {
        joined_[static_cast<int>(hello.id)] = std::move(joined);
    } else if (hello.purpose == Purpose::link) {
        links_.push_back(std::move(joined));
    } else if (hello.purpose == Purpose::abort) {
        abort_ = hello;
    }
}

// Who joins has nothing to say until it hears the membership.
void Acceptor::drop_who_hung_up() {
    std::erase_if(joined_, [](const auto& entry) {
        try {
            std::array<std::byte, 1> byte{};
            return entry.second.socket.receive_some(byte) > 0;
        } catch (const Disconnected&) {
            return true;
        }
    });
}

std::optional<Socket> Acceptor::claim(Channel channel, std::uint64_t group, int id) {
    const auto link = std::ranges::find_if(links_, [&](const Joined& candidate) {
        const Hello& hello = candidate.hello;
        return hello.channel == channel && hello.group == group && std::cmp_equal(hello.id, id);
    });
    if (link == links_.end()) {
        return {};
    }
    std::optional<Socket> socket(std::move(link->socket));
    links_.erase(link);
    return socket;
}

void Acceptor::start_epoch(std::uint32_t epoch, const Rejection& rejection) {
    const Bytes frame = frame_bytes({Tag::reject}, pack(rejection));
    for (const auto& [id, joined] : joined_) {
        try {
            joined.socket.send_some(frame);
        } catch (const Disconnected&) {
            continue;  // it need not hear it
        }
    }
    joined_.clear();
    std::erase_if(links_, [&](const Joined& link) { return link.hello.epoch < epoch; });
}

}  // namespace lockstep::comm::tcp
