#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/uio.h>

#include "lockstep/base/error.hpp"

namespace lockstep::comm::tcp {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
constexpr Deadline no_deadline = Deadline::max();
/// Time left, for poll(): rounded up, at most a second, so that waiting goes by slices.
int slice_ms(Deadline deadline);
Deadline after_ms(int milliseconds);

/// The other end is gone, or was never there; native() says how, 0 for an orderly end.
class Disconnected : public CommError {
public:
    Disconnected(const std::string& message, int native) : CommError(message), native_(native) {}
    [[nodiscard]] int native() const noexcept { return native_; }

private:
    int native_;
};

/// How sure it is that a rank is no more.
enum class Loss {
    gone,    ///< its process has ended
    cut_off  ///< its host does not answer: it may live on beyond a broken network
};
Loss loss_by(const Disconnected& disconnected) noexcept;

/// Owns a descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int fd() const noexcept { return fd_; }
    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    void close() noexcept;

private:
    int fd_ = -1;
};

/// Wakes a thread that waits in poll() for it. Any thread may ring.
class Bell {
public:
    Bell();
    [[nodiscard]] int fd() const noexcept { return event_.fd(); }
    void ring() const noexcept;
    void silence() const noexcept;

private:
    Descriptor event_;
};

struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;

    [[nodiscard]] const sockaddr* get() const noexcept;
    [[nodiscard]] bool is_six() const noexcept;  ///< of version 6
    [[nodiscard]] bool is_loopback() const;      ///< only this host reaches it
    [[nodiscard]] std::string host() const;      ///< in figures
    [[nodiscard]] std::uint16_t port() const;
    void set_port(std::uint16_t port);
};
/// "127.0.0.1:29500", "[::1]:29500"
std::string to_string(const Address& address);

/// @throws CommError  the name has no address
std::vector<Address> resolve(const std::string& host, int port);

/// A stream that never blocks and never raises SIGPIPE.
class Socket {
public:
    Socket() = default;
    /// Takes over a connected one.
    explicit Socket(Descriptor descriptor);

    /// @throws Disconnected  refused, unreachable or too late
    static Socket connect(const Address& address, Deadline deadline);

    [[nodiscard]] int fd() const noexcept { return descriptor_.fd(); }
    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }
    [[nodiscard]] Address local_address() const;
    void close() noexcept { descriptor_.close(); }
    /// Both ends see the end of the stream after what is under way.
    void shut_down() const noexcept;

    /// What the kernel takes or has at once, perhaps nothing.
    /// @throws Disconnected  the stream has ended
    std::size_t send_some(std::span<const iovec> pieces) const;
    std::size_t receive_some(std::span<const iovec> pieces) const;
    std::size_t send_some(std::span<const std::byte> bytes) const;
    std::size_t receive_some(std::span<std::byte> bytes) const;

    /// All of it.
    /// @throws Disconnected  the stream has ended; CommError  too late
    void send(std::span<const std::byte> bytes, Deadline deadline) const;
    void receive(std::span<std::byte> bytes, Deadline deadline) const;

    /// The kernel finds a host that is gone: idle streams by probes, and bytes that are not
    /// acknowledged when `unacknowledged_too`. Only for streams whose other end always reads: else
    /// a full one would count as dead.
    void watch(int dead_after_ms, bool unacknowledged_too) const;

private:
    Descriptor descriptor_;
};

/// A listening socket that does not block.
/// @throws CommError  the address is taken or is not of this host
Descriptor listen_on(const Address& address);
/// Address with the port that was given.
Address address_of(const Descriptor& listener);
/// Nothing (not open) when nobody has come.
Socket accept_from(const Descriptor& listener);

}  // namespace lockstep::comm::tcp
