#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {

/// Where a hub is and who may come: processes of the same build that know its secret.
struct HubConfig {
    std::string host = "127.0.0.1";  ///< that it listens at, or where it is
    int port = 0;                    ///< 0: any that is free; not for clients
    std::string token;               ///< shared secret; empty: none
    std::string token_file;          ///< holds the secret, instead of token
    /// On an address that other hosts reach: no secret, or one that other users can read, will do.
    bool trusts_network = false;
    int connect_timeout_ms = 30000;  ///< tries of a client, with pauses that grow
    int dead_after_ms = 10000;       ///< a host that acknowledges nothing for so long is gone
};

constexpr int default_hub_port = 29600;

/// A hub at an address, "host", "host:port", "[v6]" or "[v6]:port", with the secret and the times
/// that the variables of the tcp backend say (LOCKSTEP_TCP_TOKEN_FILE and others).
/// @param name  of what holds the address, for messages
/// @throws UsageError  that names what is malformed
HubConfig hub_config(std::string_view name,
                     const std::string& address,
                     const Environment& environment);

/// One process that any number of others talk to, over TCP, without ranks: they come and leave at
/// any time. Messages of any length up to 2^31 bytes; order is kept from one sender to one
/// receiver. Trusted networks only: nothing is encrypted.
///
/// All calls come from one thread; bytes move while one of them runs.
class HubServer {
public:
    /// @throws CommError  the address is taken or is not of this host; UsageError  it would be open
    ///         to strangers; IoError  the token file; NotBuiltError  this build has no tcp
    explicit HubServer(const HubConfig& config);
    ~HubServer();
    HubServer(const HubServer&) = delete;
    HubServer& operator=(const HubServer&) = delete;

    [[nodiscard]] int port() const;
    /// Drawn anew for each hub, at random.
    [[nodiscard]] std::uint64_t number() const;

    struct Event {
        enum class Kind { joined, message, left };
        Kind kind = Kind::joined;
        std::int64_t peer = 0;  ///< counts those that have come, from 1
        std::vector<std::byte> bytes;
    };
    /// The next event, waited for: at most `limit`.
    [[nodiscard]] std::optional<Event> wait(std::chrono::milliseconds limit);
    /// Copies the message on its way; nothing happens where the peer has left.
    void send(std::int64_t peer, std::span<const std::byte> bytes);
    /// Hangs up, once what was sent has gone out or a second has passed. No event tells of it.
    void drop(std::int64_t peer);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// A process that talks to a hub.
class HubClient {
public:
    /// Tries until the server answers or time is up.
    /// @throws CommError  nobody answers, the server has another secret or is another build: what
    ///         to do; IoError  the token file; NotBuiltError  this build has no tcp
    explicit HubClient(const HubConfig& config);
    ~HubClient();
    HubClient(const HubClient&) = delete;
    HubClient& operator=(const HubClient&) = delete;

    /// Returns once the message is with the system.
    /// @throws PeerFailed  the server is gone
    void send(std::span<const std::byte> bytes);
    /// The next message, waited for: at most `limit`.
    /// @throws PeerFailed  the server is gone, and all that it sent has been taken
    [[nodiscard]] std::optional<std::vector<std::byte>> wait(std::chrono::milliseconds limit);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::comm
