#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/error.hpp"

#include "comm/tcp/frame.hpp"
#include "comm/tcp/socket.hpp"

// Every connection begins with: visitor's hello (who, what for, a nonce) - host's challenge (a
// nonce) - visitor's proof - host's welcome. Proof and welcome are keyed hashes over hello and both
// nonces; without a token the key is empty. A host that refuses sends a reject instead and closes.
namespace lockstep::comm::tcp {

using Nonce = std::array<std::byte, 32>;
/// Shared secret; empty: none.
using Secret = Bytes;

/// From the system's source of randomness.
Nonce draw_nonce();
/// Part of one.
template <std::unsigned_integral T>
T draw_number() {
    const Nonce nonce = draw_nonce();
    T number{};
    std::memcpy(&number, nonce.data(), sizeof number);
    return number;
}

enum class Purpose : std::uint8_t {
    join,     ///< become a member of a run, at its start or after a loss
    link,     ///< data between two members
    monitor,  ///< see whether the host lives
    abort,    ///< tell that the visitor ends the run
};

/// Which of the connections between two members.
enum class Channel : std::uint8_t { none, star, ring, mailbox };

struct Hello {
    Purpose purpose = Purpose::join;
    Channel channel = Channel::none;
    std::uint32_t epoch = 0;  ///< membership that the visitor knows; 0: none yet
    std::uint64_t group = 0;  ///< communicator that a link is of; exit code of an abort
    std::uint32_t id = 0;     ///< rank of the visitor at the start of the run
    std::uint32_t size = 0;   ///< ranks at the start of the run
    std::string layout;       ///< raw_layout() of the visitor
    std::string host;         ///< name of the visitor's host
    std::string node;         ///< equal where memory is shared
    std::string cores;        ///< that the visitor may run on: set of bits
    std::string address;      ///< where the visitor listens
    std::uint16_t port = 0;
    Nonce nonce{};
    friend bool operator==(const Hello&, const Hello&) = default;
};
Bytes pack(const Hello& hello);
/// @throws CommError  malformed
Hello unpack_hello(std::span<const std::byte> bytes);

enum class Reason : std::uint8_t {
    bad_token = 1,
    layout_differs,
    bad_size,
    bad_rank,
    duplicate_rank,
    begun,     ///< the run goes on without the visitor
    excluded,  ///< the survivors took the visitor for dead
    given_up,  ///< not all ranks came in time
};

struct Rejection {
    Reason reason;
    std::string text;
};

/// The host has refused this rank.
class Rejected : public CommError {
public:
    explicit Rejected(const Rejection& rejection)
        : CommError("tcp: " + rejection.text), reason_(rejection.reason) {}
    [[nodiscard]] Reason reason() const noexcept { return reason_; }

private:
    Reason reason_;
};
Bytes pack(const Rejection& rejection);
/// @throws CommError  malformed
Rejection unpack_rejection(std::span<const std::byte> bytes);

/// Visitor's side, until the welcome.
/// @throws Rejected; Disconnected; CommError  the host is no rank, knows another token, or is late
void introduce(const Socket& socket, const Hello& hello, const Secret& secret, Deadline deadline);
/// One frame that comes next.
/// @throws as introduce
Frame receive_frame(const Socket& socket, std::size_t longest, Deadline deadline);

/// Host's side of one connection, as a machine that is fed what comes.
class Reception {
public:
    /// Whether a visitor who has shown that he knows the token may come in; nothing: yes.
    using Judge = std::function<std::optional<Rejection>(const Hello&)>;

    Reception(const Secret& secret, const Nonce& nonce, Judge judge);

    enum class State { open, accepted, closed };
    /// Never throws for what came: nonsense closes.
    State feed(std::span<const std::byte> bytes);
    [[nodiscard]] State state() const noexcept { return state_; }
    /// The visitor has said who he is, truly or not.
    [[nodiscard]] bool has_hello() const noexcept { return !packed_hello_.empty(); }
    /// Of the visitor, once accepted.
    [[nodiscard]] const Hello& hello() const noexcept { return hello_; }
    /// What is to be sent.
    [[nodiscard]] Bytes take_output();

private:
    void take(const Frame& frame);
    void take_hello(const Frame& frame);
    void take_proof(const Frame& frame);
    void say(Tag tag, std::span<const std::byte> payload);
    void refuse(const Rejection& rejection);

    const Secret& secret_;
    Nonce nonce_;
    Judge judge_;
    FrameReader reader_{control_bytes};
    Bytes output_;
    Bytes packed_hello_;  // empty: it has not come
    Hello hello_;
    State state_ = State::open;
};

}  // namespace lockstep::comm::tcp
