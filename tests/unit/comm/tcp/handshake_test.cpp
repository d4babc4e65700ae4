#include "comm/tcp/handshake.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/comm/communicator.hpp"

#include "comm/abi_stamp.hpp"
#include "comm/tcp/acceptor.hpp"
#include "comm/tcp/sha256.hpp"
#include "conformance/comm/backends.hpp"

namespace lockstep::comm::tcp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using State = Reception::State;

std::string comm_error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const CommError& error) {
        return error.what();
    }
    return "";
}

Secret secret_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Hello hello_of(std::uint32_t id) {
    Hello hello;
    hello.id = id;
    hello.size = 4;
    hello.layout = raw_layout();
    hello.host = "here";
    hello.node = "node";
    hello.cores = "\x03";
    hello.address = "127.0.0.1";
    hello.port = 4711;
    hello.nonce = draw_nonce();
    return hello;
}

std::optional<Rejection> everybody(const Hello&) {
    return {};
}

Bytes proof_for(const Hello& hello, const Secret& secret, const Nonce& nonce) {
    const Bytes packed = pack(hello);
    return frame_bytes({Tag::proof},
                       hmac_sha256(secret, Packer().text("visitor").raw(packed).raw(nonce).take()));
}

Frame only_frame(const Bytes& bytes) {
    FrameReader reader(control_bytes);
    reader.add(bytes);
    auto frame = reader.next();
    return frame ? *frame : Frame{};
}

TEST(TcpHandshakeTest, UnpacksTheHelloThatWasPacked) {
    const Hello hello = hello_of(3);
    EXPECT_EQ(unpack_hello(pack(hello)), hello);
}

TEST(TcpHandshakeTest, DrawsNoncesThatDiffer) {
    EXPECT_NE(draw_nonce(), draw_nonce());
}

TEST(TcpHandshakeTest, LetsAVisitorInWhoKnowsTheToken) {
    const Secret secret = secret_of("a secret");
    const Nonce nonce = draw_nonce();
    const Hello hello = hello_of(2);
    Reception reception(secret, nonce, everybody);

    EXPECT_EQ(reception.feed(frame_bytes({Tag::hello}, pack(hello))), State::open);
    const Frame challenge = only_frame(reception.take_output());
    EXPECT_EQ(challenge.header.tag, Tag::challenge);
    EXPECT_EQ(challenge.payload, Bytes(nonce.begin(), nonce.end()));
    EXPECT_EQ(reception.feed(proof_for(hello, secret, nonce)), State::accepted);

    EXPECT_EQ(only_frame(reception.take_output()).header.tag, Tag::welcome);
    EXPECT_EQ(reception.hello(), hello);
}

TEST(TcpHandshakeTest, TurnsAVisitorAwayWhoDoesNotKnowTheToken) {
    const Secret secret = secret_of("a secret");
    for (const std::string_view wrong : {"", "A secret", "a secret "}) {
        const Nonce nonce = draw_nonce();
        const Hello hello = hello_of(2);
        Reception reception(secret, nonce, everybody);
        reception.feed(frame_bytes({Tag::hello}, pack(hello)));
        static_cast<void>(reception.take_output());

        EXPECT_EQ(reception.feed(proof_for(hello, secret_of(wrong), nonce)), State::closed);

        const Frame answer = only_frame(reception.take_output());
        ASSERT_EQ(answer.header.tag, Tag::reject);
        EXPECT_EQ(unpack_rejection(answer.payload).reason, Reason::bad_token);
    }
}

TEST(TcpHandshakeTest, DoesNotTakeAProofForAnotherNonce) {
    const Secret secret = secret_of("a secret");
    const Hello hello = hello_of(2);
    Reception reception(secret, draw_nonce(), everybody);
    reception.feed(frame_bytes({Tag::hello}, pack(hello)));

    EXPECT_EQ(reception.feed(proof_for(hello, secret, draw_nonce())), State::closed);
}

TEST(TcpHandshakeTest, SaysWhyAVisitorMayNotComeIn) {
    const Secret secret;
    const Nonce nonce = draw_nonce();
    const Hello hello = hello_of(2);
    Reception reception(secret, nonce, [](const Hello& visitor) {
        return Rejection{Reason::bad_size, "rank " + std::to_string(visitor.id) + " is odd"};
    });
    reception.feed(frame_bytes({Tag::hello}, pack(hello)));
    static_cast<void>(reception.take_output());

    EXPECT_EQ(reception.feed(proof_for(hello, secret, nonce)), State::closed);

    const auto rejection = unpack_rejection(only_frame(reception.take_output()).payload);
    EXPECT_EQ(rejection.reason, Reason::bad_size);
    EXPECT_EQ(rejection.text, "rank 2 is odd");
}

TEST(TcpHandshakeTest, ClosesOnNonsense) {
    const Secret secret;
    const auto text =
        std::as_bytes(std::span(std::string_view("GET / HTTP/1.1\r\nHost: here\r\n")));
    const Bytes hello = frame_bytes({Tag::hello}, pack(hello_of(1)));
    const auto state_after = [&](std::span<const std::byte> bytes) {
        Reception reception(secret, draw_nonce(), everybody);
        return reception.feed(bytes);
    };

    EXPECT_EQ(state_after(text), State::closed);
    EXPECT_EQ(state_after(encode({Tag::hello, 0, 0, control_bytes + 1})), State::closed);
    EXPECT_EQ(state_after(frame_bytes({Tag::hello}, text)), State::closed);
    EXPECT_EQ(state_after(frame_bytes({Tag::ping}, {})), State::closed);
    EXPECT_EQ(state_after(proof_for(hello_of(1), secret, draw_nonce())), State::closed);
    for (std::size_t half = 0; half < hello.size(); half += 7) {
        EXPECT_EQ(state_after(std::span(hello).first(half)), State::open);
    }
}

/// A port that ranks are about to meet at.
class TcpMeetingTest : public testing::Test {
protected:
    TcpMeetingTest() {
        config_.coordinator = "127.0.0.1";
        config_.port = free_port();
        config_.connect_timeout_ms = 20000;
    }
    [[nodiscard]] std::unique_ptr<Communicator> join(int rank,
                                                     int size,
                                                     const std::string& other_token = "") const {
        CommConfig config;
        config.backend = BackendKind::tcp;
        config.tcp = config_;
        config.tcp.rank = rank;
        config.tcp.size = size;
        if (!other_token.empty()) {
            config.tcp.token = other_token;
        }
        return connect(config);
    }
    /// The same on a thread of its own, until the end of the scope.
    [[nodiscard]] std::future<void> summing(int rank, int size) const {
        return std::async(std::launch::async, [this, rank, size] { expect_sum(rank, size); });
    }
    void expect_sum(int rank, int size) const {
        EXPECT_EQ(join(rank, size)->allreduce<std::int64_t>(rank + 1, ReduceOp::sum),
                  size * (size + 1) / 2);
    }
    [[nodiscard]] Socket visit() const {
        const auto address = resolve(config_.coordinator, config_.port).front();
        const Deadline deadline = after_ms(10000);
        while (true) {
            try {
                return Socket::connect(address, deadline);
            } catch (const Disconnected&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        }
    }

    TcpConfig config_;
};

// What the host does with who is not done: hang up.
void expect_end_of(const Socket& socket) {
    std::byte byte{};
    const Deadline deadline = after_ms(10000);
    EXPECT_THROW(while (true) socket.receive({&byte, 1}, deadline), Disconnected);
}

TEST_F(TcpMeetingTest, IsNotDisturbedByStrangers) {
    const auto first = summing(0, 3);
    const auto text =
        std::as_bytes(std::span(std::string_view("SSH-2.0-OpenSSH_9.2p1 Debian\r\n")));
    const Socket scanner = visit();
    const Socket web = visit();
    web.send(text, after_ms(1000));
    const Socket half = visit();
    const Bytes hello = frame_bytes({Tag::hello}, pack(hello_of(1)));
    half.send(std::span(hello).first(40), after_ms(1000));
    const Socket oversized = visit();
    oversized.send(encode({Tag::hello, 0, 0, std::uint64_t{1} << 60}), after_ms(1000));
    std::vector<Socket> crowd;
    for (int i = 0; i < 40; ++i) {
        crowd.push_back(visit());
    }
    expect_end_of(web);
    expect_end_of(oversized);

    const auto second = summing(1, 3);
    const auto third = summing(2, 3);
}

/// Connections that say nothing, hundreds a second, until the end of the scope.
class IdleStrangers {
public:
    explicit IdleStrangers(const Address& at) : at_(at) {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        most_ = std::min<std::size_t>(limit.rlim_cur, 20'000) / 2 - 100;
        coming_ = std::async(std::launch::async, [this] {
            while (!is_over_) {
                come();
                if (idle_.size() >= most_) {
                    idle_.erase(idle_.begin(), idle_.begin() + 100);
                }
                std::this_thread::sleep_for(std::chrono::microseconds(500));
            }
        });
    }
    ~IdleStrangers() {
        is_over_ = true;
        coming_.wait();
    }
    IdleStrangers(const IdleStrangers&) = delete;
    IdleStrangers& operator=(const IdleStrangers&) = delete;

private:
    // The ranks may have ended.
    void come() {
        try {
            idle_.push_back(Socket::connect(at_, after_ms(1000)));
        } catch (const Disconnected&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    Address at_;
    std::size_t most_ = 0;
    std::vector<Socket> idle_;
    std::atomic<bool> is_over_ = false;
    std::future<void> coming_;
};

// A acceptor that waited for places to become free would let in fewer than come.
TEST_F(TcpMeetingTest, MeetsInACrowdOfIdleStrangers) {
    const auto first = summing(0, 3);
    const auto early = visit();  // it listens
    const IdleStrangers strangers(resolve(config_.coordinator, config_.port).front());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));

    const auto second = summing(1, 3);
    expect_sum(2, 3);
}

TEST(TcpAcceptorTest, BoundsWhoStandsBeforeIt) {
    const Secret secret;
    Descriptor listener = listen_on(resolve("127.0.0.1", 0).front());
    const Address at = address_of(listener);
    Acceptor acceptor(std::move(listener), secret, everybody);
    std::vector<Socket> visitors;
    const Bytes hello = frame_bytes({Tag::hello}, pack(hello_of(1)));
    for (std::ptrdiff_t i = 0; i < 3 * Acceptor::most_unproven; ++i) {
        visitors.push_back(Socket::connect(at, after_ms(10000)));
        if (i % 2 == 0) {
            visitors.back().send(hello, after_ms(10000));
        }
        acceptor.serve();
    }

    std::vector<pollfd> watched;
    acceptor.watch(watched);
    EXPECT_LE(std::ssize(watched), 1 + Acceptor::most_silent + Acceptor::most_unproven);
    EXPECT_GE(std::ssize(watched), Acceptor::most_unproven)
        << "the latest may still prove who they are";
}

TEST_F(TcpMeetingTest, NeedsATokenWhereOthersReachIt) {
    config_.bind_address = "0.0.0.0";
    try {
        static_cast<void>(join(0, 2));
        ADD_FAILURE() << "it met without a token";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("rank 0 would be open to everybody who reaches 0.0.0.0:"),
                          HasSubstr("LOCKSTEP_TCP_TRUST_NETWORK=1")));
    }
    for (const bool by_token : {true, false}) {
        config_.token = by_token ? "secret" : "";
        config_.trusts_network = !by_token;
        const auto first = summing(0, 2);
        expect_sum(1, 2);
    }
}

TEST_F(TcpMeetingTest, RefusesATokenFileThatOthersRead) {
    config_.bind_address = "0.0.0.0";
    config_.token_file =
        std::filesystem::temp_directory_path() / ("lockstep-token-" + std::to_string(::getpid()));
    std::ofstream(config_.token_file) << "secret\n";
    for (const mode_t mode : {0644U, 0640U}) {
        ASSERT_EQ(::chmod(config_.token_file.c_str(), mode), 0);
        EXPECT_THROW(static_cast<void>(join(0, 2)), UsageError);
    }
    ASSERT_EQ(::chmod(config_.token_file.c_str(), 0600), 0);
    {
        const auto first = summing(0, 2);
        expect_sum(1, 2);
    }
    std::filesystem::remove(config_.token_file);
}

TEST_F(TcpMeetingTest, TakesATokenFromRegularFilesOnly) {
    config_.token_file =
        std::filesystem::temp_directory_path() / ("lockstep-pipe-" + std::to_string(::getpid()));
    ASSERT_EQ(::mkfifo(config_.token_file.c_str(), 0600), 0);
    EXPECT_THROW(static_cast<void>(join(0, 2)), IoError);
    std::filesystem::remove(config_.token_file);
}

TEST_F(TcpMeetingTest, RefusesAWrongTokenAndGoesOn) {
    config_.token = "right";
    const auto first = summing(0, 2);

    EXPECT_THAT(comm_error_of([&] { static_cast<void>(join(1, 2, "wrong")); }),
                HasSubstr("the token of this rank is not the one of the other ranks"));
    expect_sum(1, 2);
}

TEST_F(TcpMeetingTest, RefusesTwoRanksOfOneNumber) {
    const auto first = summing(0, 3);
    std::future<void> second;
    std::atomic<int> refused = 0;
    std::atomic<int> met = 0;
    {
        std::vector<std::future<void>> twins;
        for (int twin = 0; twin < 2; ++twin) {
            twins.push_back(std::async(std::launch::async, [&] {
                const auto message = comm_error_of([&] {
                    const auto comm = join(1, 3);
                    ++met;
                    EXPECT_EQ(comm->allreduce<std::int64_t>(2, ReduceOp::sum), 6);
                });
                if (message.empty()) {
                    return;
                }
                EXPECT_THAT(message, HasSubstr("rank 1 is started twice"));
                ++refused;
                second = summing(2, 3);
            }));
        }
    }
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(met, 1);
}

TEST_F(TcpMeetingTest, RefusesARankOfAnotherRunAndGoesOn) {
    const auto first = summing(0, 2);
    EXPECT_THAT(comm_error_of([this] { static_cast<void>(join(1, 3)); }),
                HasSubstr("rank 1 was started for 3 ranks, rank 0 for 2"));
    expect_sum(1, 2);
}

TEST_F(TcpMeetingTest, RefusesALatecomer) {
    std::atomic<bool> is_over = false;
    const auto first = std::async(std::launch::async, [&] {
        const auto comm = join(0, 2);
        comm->barrier();
        while (!is_over) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    const auto comm = join(1, 2);
    comm->barrier();

    EXPECT_THAT(comm_error_of([this] { static_cast<void>(join(1, 2)); }),
                AllOf(HasSubstr("all 2 ranks of that run have met already"),
                      HasSubstr("is rank 1 started twice")));
    is_over = true;
}

TEST_F(TcpMeetingTest, NamesTheRanksThatDidNotCome) {
    config_.connect_timeout_ms = 300;
    auto told = std::async(std::launch::async, [this] {
        return comm_error_of([this] { static_cast<void>(join(1, 4)); });
    });
    const auto message = comm_error_of([this] { static_cast<void>(join(0, 4)); });

    EXPECT_THAT(message,
                AllOf(HasSubstr("of 4 ranks these did not come to 127.0.0.1:"),
                      HasSubstr("within 300 ms: 2, 3")));
    EXPECT_EQ(told.get(), message);
}

TEST_F(TcpMeetingTest, SaysThatNobodyListens) {
    config_.connect_timeout_ms = 200;
    EXPECT_THAT(comm_error_of([this] { static_cast<void>(join(1, 2)); }),
                AllOf(HasSubstr("rank 1 did not meet rank 0 at 127.0.0.1:"),
                      HasSubstr("within 200 ms"),
                      HasSubstr("Connection refused")));
}

TEST_F(TcpMeetingTest, SaysThatThePortIsTaken) {
    const Descriptor taken = listen_on(resolve("127.0.0.1", config_.port).front());
    EXPECT_THAT(comm_error_of([this] { static_cast<void>(join(0, 2)); }),
                AllOf(HasSubstr("cannot listen on 127.0.0.1:"),
                      HasSubstr("Address already in use"),
                      HasSubstr("LOCKSTEP_TCP_BIND_ADDR")));
}

TEST_F(TcpMeetingTest, MeetsOverVersionSix) {
    try {
        static_cast<void>(listen_on(resolve("::1", 0).front()));
    } catch (const CommError&) {
        GTEST_SKIP() << "this machine has no IPv6";
    }
    config_.coordinator = "::1";
    const auto first = summing(0, 3);
    const auto second = summing(1, 3);
    expect_sum(2, 3);
}

TEST_F(TcpMeetingTest, MeetsByName) {
    config_.coordinator = "localhost";
    const auto first = summing(0, 2);
    expect_sum(1, 2);
}

TEST_F(TcpMeetingTest, FreesThePortAtOnce) {
    for (int run = 0; run < 5; ++run) {
        const auto first = summing(0, 2);
        expect_sum(1, 2);
    }
}

}  // namespace
}  // namespace lockstep::comm::tcp
