#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "lockstep/comm/hub.hpp"

#include "comm/abi_stamp.hpp"
#include "comm/tcp/acceptor.hpp"
#include "comm/tcp/hub_frames.hpp"
#include "comm/tcp/token.hpp"

namespace lockstep::comm {
namespace tcp {
namespace {

constexpr auto farewell = std::chrono::seconds(1);

/// One process that has come.
class Peer {
public:
    Peer(Socket socket, int dead_after_ms) : socket_(std::move(socket)) {
        socket_.watch(dead_after_ms, false);
        say({Tag::welcome}, {});
    }

    [[nodiscard]] pollfd entry() const {
        const int events = POLLIN | (output_.empty() ? 0 : POLLOUT);
        return {socket_.fd(), static_cast<short>(events), 0};
    }
    [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }
    /// Told to hang up, and nothing is left to say, or nobody listens.
    [[nodiscard]] bool is_over() const {
        return hangs_up_at_ && (is_gone_ || output_.empty() || Clock::now() >= *hangs_up_at_);
    }
    [[nodiscard]] bool is_leaving() const noexcept { return hangs_up_at_.has_value(); }
    void hang_up() { hangs_up_at_ = Clock::now() + farewell; }

    void say(const FrameHeader& header, std::span<const std::byte> payload) {
        const Bytes frame = frame_bytes(header, payload);
        output_.insert(output_.end(), frame.begin(), frame.end());
        push();
    }
    void push() {
        guard([this] {
            while (sent_ < output_.size()) {
                const auto count = socket_.send_some(std::span(output_).subspan(sent_));
                if (count == 0) {
                    return;
                }
                sent_ += count;
            }
            output_.clear();
            sent_ = 0;
        });
    }
    /// Hands each message that has come to `take`.
    template <typename F>
    void pull(F&& take) {
        guard([&] {
            std::array<std::byte, chunk_bytes> chunk;
            while (const std::size_t count = socket_.receive_some(chunk)) {
                reader_.add(std::span(chunk).first(count));
                while (auto frame = reader_.next()) {
                    check_message(frame->header);
                    take(std::move(frame->payload));
                }
            }
        });
    }

private:
    // Nonsense is as good as silence.
    template <typename F>
    void guard(F&& transfer) {
        try {
            if (!is_gone_) {
                transfer();
            }
        } catch (const CommError&) {
            is_gone_ = true;
            output_.clear();
        }
    }

    Socket socket_;
    FrameReader reader_{longest_message};
    Bytes output_;
    std::size_t sent_ = 0;  // of output_
    bool is_gone_ = false;
    std::optional<Deadline> hangs_up_at_;
};

std::optional<Rejection> judge(const Hello& hello) {
    if (hello.purpose != Purpose::join) {
        return Rejection{Reason::excluded, "a hub has no ranks"};
    }
    if (hello.layout != program_stamp()) {
        return Rejection{Reason::layout_differs,
                         fmt::format("server and worker must be the same program; server: {}; "
                                     "worker: {}",
                                     program_stamp(),
                                     hello.layout)};
    }
    return {};
}

Descriptor open_guarded(const HubConfig& config, const Guard& guard) {
    const Address at = resolve(config.host, config.port).front();
    check_guarded(guard, "the server", at);
    return listen_on(at);
}

}  // namespace
}  // namespace tcp

using namespace tcp;

class HubServer::Impl {
public:
    explicit Impl(const HubConfig& config)
        : dead_after_ms_(config.dead_after_ms),
          secret_(secret_of({config.token, config.token_file, config.trusts_network})),
          acceptor_(listen(config), secret_, judge) {}

    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    std::optional<Event> wait(std::chrono::milliseconds limit) {
        const Deadline deadline = Clock::now() + limit;
        serve();
        while (events_.empty() && Clock::now() < deadline) {
            sleep(deadline);
            serve();
        }
        if (events_.empty()) {
            return {};
        }
        Event event = std::move(events_.front());
        events_.pop_front();
        return event;
    }
    void send(std::int64_t id, std::span<const std::byte> bytes) {
        const auto peer = peers_.find(id);
        if (peer != peers_.end() && !peer->second.is_leaving()) {
            peer->second.say({Tag::message}, bytes);
        }
    }
    void drop(std::int64_t id) {
        const auto peer = peers_.find(id);
        if (peer != peers_.end()) {
            peer->second.hang_up();
            std::erase_if(events_, [id](const Event& event) { return event.peer == id; });
        }
    }
    /// What was said goes out, unless nobody takes it.
    void close() {
        const Deadline deadline = Clock::now() + farewell;
        for (auto& [id, peer] : peers_) {
            peer.hang_up();
        }
        while (!peers_.empty() && Clock::now() < deadline) {
            serve();
            if (!peers_.empty()) {
                sleep(deadline);
            }
        }
    }

private:
    Descriptor listen(const HubConfig& config) {
        Descriptor listener =
            open_guarded(config, {config.token, config.token_file, config.trusts_network});
        port_ = address_of(listener).port();
        return listener;
    }
    void sleep(Deadline deadline) {
        std::vector<pollfd> entries;
        acceptor_.watch(entries);
        for (const auto& [id, peer] : peers_) {
            entries.push_back(peer.entry());
        }
        ::poll(entries.data(), entries.size(), slice_ms(deadline));
    }
    void serve() {
        acceptor_.serve();
        let_in();
        for (auto peer = peers_.begin(); peer != peers_.end();) {
            peer = serve(*peer) ? std::next(peer) : peers_.erase(peer);
        }
    }
    void let_in() {
        for (auto& [id, joined] : acceptor_.joined()) {
            peers_.try_emplace(++last_peer_, std::move(joined.socket), dead_after_ms_);
            events_.push_back({Event::Kind::joined, last_peer_, {}});
        }
        acceptor_.joined().clear();
    }
    // false: nothing more will come of it.
    bool serve(std::pair<const std::int64_t, Peer>& entry) {
        const std::int64_t id = entry.first;
        Peer& peer = entry.second;
        peer.push();
        peer.pull([&](Bytes&& bytes) {
            if (!peer.is_leaving()) {
                events_.push_back({Event::Kind::message, id, std::move(bytes)});
            }
        });
        if (peer.is_leaving()) {
            return !peer.is_over();
        }
        if (peer.is_gone()) {
            events_.push_back({Event::Kind::left, id, {}});
        }
        return !peer.is_gone();
    }

    int dead_after_ms_;
    int port_ = 0;
    std::uint64_t number_ = draw_number<std::uint64_t>();
    Secret secret_;
    Acceptor acceptor_;
    std::int64_t last_peer_ = 0;
    std::map<std::int64_t, Peer> peers_;
    std::deque<Event> events_;
};

HubServer::HubServer(const HubConfig& config) : impl_(std::make_unique<Impl>(config)) {}

HubServer::~HubServer() {
    impl_->close();
}

int HubServer::port() const {
    return impl_->port();
}

std::uint64_t HubServer::number() const {
    return impl_->number();
}

std::optional<HubServer::Event> HubServer::wait(std::chrono::milliseconds limit) {
    return impl_->wait(limit);
}

void HubServer::send(std::int64_t peer, std::span<const std::byte> bytes) {
    impl_->send(peer, bytes);
}

void HubServer::drop(std::int64_t peer) {
    impl_->drop(peer);
}

}  // namespace lockstep::comm
