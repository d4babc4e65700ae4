#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/hub.hpp"

#include "comm/abi_stamp.hpp"
#include "comm/tcp/hub_frames.hpp"
#include "comm/tcp/reach.hpp"
#include "comm/tcp/token.hpp"

namespace lockstep::comm {
namespace tcp {
namespace {

// Who comes is told from others that stand at the door at the same time.
Hello hello_of_visitor() {
    Hello hello;
    hello.purpose = Purpose::join;
    hello.layout = program_stamp();
    hello.nonce = draw_nonce();
    hello.id = draw_number<std::uint32_t>();
    return hello;
}

std::string where(const HubConfig& config) {
    return fmt::format("{}:{}", config.host, config.port);
}

Socket connect_once(const HubConfig& config, const Secret& secret, Deadline deadline) {
    Socket socket = connect_to_any(resolve(config.host, config.port), deadline);
    socket.watch(config.dead_after_ms, false);
    introduce(socket, hello_of_visitor(), secret, deadline);
    const Frame frame = receive_frame(socket, control_bytes, deadline);
    check_header(frame.header, {Tag::welcome, 0, 0, 0});
    return socket;
}

[[noreturn]] void explain(const HubConfig& config, const Rejected& refusal) {
    if (refusal.reason() == Reason::bad_token) {
        throw CommError(
            fmt::format("the server at {} has another secret than this worker: give "
                        "both the same one (LOCKSTEP_TCP_TOKEN_FILE)",
                        where(config)));
    }
    throw CommError(
        fmt::format("the server at {} refuses this worker ({})", where(config), refusal.what()));
}

Socket connect(const HubConfig& config) {
    const Secret secret = secret_of({config.token, config.token_file, config.trusts_network});
    const Deadline deadline = after_ms(config.connect_timeout_ms);
    try {
        return retry(deadline, [&] { return connect_once(config, secret, deadline); });
    } catch (const Rejected& refusal) {
        explain(config, refusal);
    } catch (const CommError& error) {
        throw CommError(
            fmt::format("no server at {} has answered within {} ms ({}): start it, or "
                        "correct host and port",
                        where(config),
                        config.connect_timeout_ms,
                        error.what()));
    }
}

}  // namespace
}  // namespace tcp

using namespace tcp;

class HubClient::Impl {
public:
    explicit Impl(const HubConfig& config) : where_(where(config)), socket_(tcp::connect(config)) {}

    // The server reads at all times, so that this ends.
    void send(std::span<const std::byte> bytes) {
        guard([&] { socket_.send(frame_bytes({Tag::message}, bytes), no_deadline); });
    }
    std::optional<Bytes> wait(std::chrono::milliseconds limit) {
        const Deadline deadline = Clock::now() + limit;
        for (;;) {
            if (auto message = next()) {
                return message;
            }
            if (receive()) {
                continue;
            }
            if (Clock::now() >= deadline) {
                return {};
            }
            pollfd entry{socket_.fd(), POLLIN, 0};
            ::poll(&entry, 1, slice_ms(deadline));
        }
    }

private:
    template <typename F>
    std::invoke_result_t<F> guard(F&& transfer) {
        try {
            return transfer();
        } catch (const Disconnected& loss) {
            throw PeerFailed(fmt::format("the server at {} is gone ({})", where_, loss.what()), 0);
        }
    }
    std::optional<Bytes> next() {
        auto frame = reader_.next();
        if (!frame) {
            return {};
        }
        check_message(frame->header);
        return std::move(frame->payload);
    }
    // Whether something has come that may be a whole message.
    bool receive() {
        std::array<std::byte, chunk_bytes> chunk;
        const auto count = guard([&] { return socket_.receive_some(chunk); });
        reader_.add(std::span(chunk).first(count));
        return count > 0;
    }

    std::string where_;
    Socket socket_;
    FrameReader reader_{longest_message};
};

HubClient::HubClient(const HubConfig& config) : impl_(std::make_unique<Impl>(config)) {}

HubClient::~HubClient() = default;

void HubClient::send(std::span<const std::byte> bytes) {
    impl_->send(bytes);
}

std::optional<std::vector<std::byte>> HubClient::wait(std::chrono::milliseconds limit) {
    return impl_->wait(limit);
}

}  // namespace lockstep::comm
