#include "lockstep/comm/hub.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/tcp/socket.hpp"

namespace lockstep::comm {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using Kind = HubServer::Event::Kind;

HubConfig at_port(int port, std::string token = "secret") {
    HubConfig config;
    config.port = port;
    config.token = std::move(token);
    config.connect_timeout_ms = 5000;
    return config;
}

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

HubServer::Event next_event(HubServer& server) {
    auto event = server.wait(5s);
    EXPECT_TRUE(event);
    return event ? std::move(*event) : HubServer::Event{};
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// What a client does, on a thread of its own, while the server waits for its events.
class Visitor {
public:
    explicit Visitor(std::function<void()> body) : thread_(std::move(body)) {}
    ~Visitor() { thread_.join(); }
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;

private:
    std::thread thread_;
};

TEST(HubTest, CarriesMessagesOfAnyLengthBothWays) {
    HubServer server(at_port(0));
    std::vector<std::byte> large(5 << 20);
    for (std::size_t i = 0; i < large.size(); ++i) {
        large[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    std::optional<std::vector<std::byte>> answer;
    const Visitor visitor([&] {
        HubClient client(at_port(server.port()));
        client.send(large);
        client.send({});
        answer = client.wait(5s);
    });

    const auto joined = next_event(server);
    EXPECT_EQ(joined.kind, Kind::joined);
    EXPECT_EQ(joined.peer, 1);
    EXPECT_EQ(next_event(server).bytes, large);
    EXPECT_EQ(next_event(server).kind, Kind::message);
    server.send(joined.peer, large);
    EXPECT_EQ(next_event(server).kind, Kind::left);
    EXPECT_EQ(answer, large);
}

TEST(HubTest, TellsVisitorsApartThatComeAndGo) {
    HubServer server(at_port(0));
    for (int i = 1; i <= 3; ++i) {
        const Visitor visitor([&] { HubClient(at_port(server.port())).send(bytes_of("x")); });
        for (const auto kind : {Kind::joined, Kind::message, Kind::left}) {
            const auto event = next_event(server);
            EXPECT_EQ(event.kind, kind);
            EXPECT_EQ(event.peer, i);
        }
    }
}

TEST(HubTest, SendsWhatWasSaidBeforeItHangsUp) {
    HubServer server(at_port(0));
    std::optional<std::vector<std::byte>> answer;
    std::string loss;
    {
        const Visitor visitor([&] {
            HubClient client(at_port(server.port()));
            answer = client.wait(5s);
            loss = error_of([&] { static_cast<void>(client.wait(5s)); });
        });
        const auto joined = next_event(server);
        server.send(joined.peer, bytes_of("bye"));
        server.drop(joined.peer);
        EXPECT_FALSE(server.wait(200ms));  // nobody is left, and no event tells of it
        server.send(joined.peer, bytes_of("too late"));
    }
    EXPECT_EQ(answer, bytes_of("bye"));
    EXPECT_THAT(loss, HasSubstr("is gone"));
}

TEST(HubTest, TellsAClientThatTheServerIsGone) {
    auto server = std::make_unique<HubServer>(at_port(0));
    const int port = server->port();
    std::string loss;
    int rank = -1;
    {
        const Visitor visitor([&] {
            HubClient client(at_port(port));
            try {
                static_cast<void>(client.wait(5s));
            } catch (const PeerFailed& failure) {
                loss = failure.what();
                rank = failure.rank();
            }
        });
        EXPECT_EQ(next_event(*server).kind, Kind::joined);
        server.reset();
    }
    EXPECT_EQ(rank, 0);
    EXPECT_THAT(loss, HasSubstr("the server at 127.0.0.1:" + std::to_string(port) + " is gone"));
}

TEST(HubTest, WaitsForAServerThatStartsLater) {
    const int port = HubServer(at_port(0)).port();
    std::string error;
    const Visitor visitor(
        [&] { error = error_of([&] { HubClient(at_port(port)).send(bytes_of("hello")); }); });
    std::this_thread::sleep_for(150ms);
    HubServer server(at_port(port));
    EXPECT_EQ(next_event(server).kind, Kind::joined);
    EXPECT_EQ(next_event(server).bytes, bytes_of("hello"));
    EXPECT_EQ(error, "");
}

TEST(HubTest, SaysInOneSentenceThatNobodyAnswers) {
    const int port = HubServer(at_port(0)).port();
    HubConfig config = at_port(port);
    config.connect_timeout_ms = 120;
    EXPECT_THAT(error_of([&] { HubClient client(config); }),
                AllOf(HasSubstr("no server at 127.0.0.1:" + std::to_string(port) +
                                " has answered within 120 ms"),
                      HasSubstr("start it, or correct host and port")));
}

TEST(HubTest, RefusesAnotherSecretAtOnce) {
    HubServer server(at_port(0));
    std::string error;
    {
        const Visitor visitor(
            [&] { error = error_of([&] { HubClient client(at_port(server.port(), "guess")); }); });
        EXPECT_FALSE(server.wait(500ms));
    }
    EXPECT_THAT(error, HasSubstr("has another secret than this worker"));
}

TEST(HubTest, WillNotListenForStrangers) {
    HubConfig open = at_port(0, "");
    open.host = "0.0.0.0";
    EXPECT_THAT(error_of([&] { HubServer server(open); }),
                HasSubstr("the server would be open to everybody who reaches 0.0.0.0:"));
}

TEST(HubTest, IsConfiguredByAddressAndEnvironment) {
    const Environment environment = [](std::string_view name) -> std::optional<std::string> {
        if (name == "LOCKSTEP_TCP_TOKEN") {
            return "secret";
        }
        return {};
    };
    const auto config = hub_config("--connect", "[::1]:4711", environment);
    EXPECT_EQ(config.host, "::1");
    EXPECT_EQ(config.port, 4711);
    EXPECT_EQ(config.token, "secret");
    EXPECT_EQ(hub_config("--connect", "node7", environment).port, default_hub_port);
    for (const std::string bad : {"", ":1", "host:", "host:0", "host:x", "[::1", "host:65536"}) {
        EXPECT_THAT(error_of([&] { hub_config("--connect", bad, environment); }),
                    HasSubstr("--connect is '" + bad + "', must be host, host:port"));
    }
}

TEST(HubTest, NonsenseDisturbsNobody) {
    HubServer server(at_port(0));
    const auto stranger =
        tcp::Socket::connect(tcp::resolve("127.0.0.1", server.port()).front(), tcp::after_ms(1000));
    stranger.send_some(bytes_of("GET / HTTP/1.1\r\nHost: a name that is long enough\r\n\r\n"));
    const Visitor visitor([&] { HubClient(at_port(server.port())).send(bytes_of("hello")); });
    EXPECT_EQ(next_event(server).kind, Kind::joined);
    EXPECT_EQ(next_event(server).bytes, bytes_of("hello"));
    EXPECT_EQ(next_event(server).kind, Kind::left);
}

}  // namespace
}  // namespace lockstep::comm
