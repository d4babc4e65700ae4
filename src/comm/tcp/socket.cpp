#include "comm/tcp/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace lockstep::comm::tcp {
namespace {

std::string words_of(int error) {
    return std::error_code(error, std::generic_category()).message();
}

void set_option(int fd, int level, int name, int value) {
    // One that this kernel lacks costs comfort, not correctness.
    static_cast<void>(setsockopt(fd, level, name, &value, sizeof value));
}

bool is_ready(int fd, short events, int milliseconds) {
    pollfd entry{fd, events, 0};
    return poll(&entry, 1, milliseconds) > 0;
}

void wait_for(int fd, short events, Deadline deadline) {
    while (!is_ready(fd, events, slice_ms(deadline))) {
        if (Clock::now() >= deadline) {
            throw CommError("tcp: the other rank did not answer in time");
        }
    }
}

// Bytes that were moved, 0 when it would block.
std::size_t moved(ssize_t result) {
    if (result >= 0) {
        return static_cast<std::size_t>(result);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
        return 0;
    }
    throw Disconnected(fmt::format("tcp: connection lost ({})", words_of(errno)), errno);
}

msghdr header_of(std::span<const iovec> pieces) {
    msghdr header{};
    header.msg_iov = const_cast<iovec*>(pieces.data());  // read only, but C does not say so
    header.msg_iovlen = pieces.size();
    return header;
}

iovec piece_of(std::span<const std::byte> bytes) {
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

void start_connecting(int fd, const Address& address) {
    if (::connect(fd, address.get(), address.length) != 0 && errno != EINPROGRESS) {
        throw Disconnected(
            fmt::format("tcp: cannot reach {} ({})", to_string(address), words_of(errno)), errno);
    }
}

void finish_connecting(int fd, const Address& address, Deadline deadline) {
    while (!is_ready(fd, POLLOUT, slice_ms(deadline))) {
        if (Clock::now() >= deadline) {
            throw Disconnected(fmt::format("tcp: {} does not answer", to_string(address)),
                               ETIMEDOUT);
        }
    }
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        throw Disconnected(
            fmt::format("tcp: cannot reach {} ({})", to_string(address), words_of(error)), error);
    }
}

template <typename F>
Address asked_for(F&& ask) {
    Address address;
    address.length = sizeof address.storage;
    ask(static_cast<sockaddr*>(static_cast<void*>(&address.storage)), &address.length);
    return address;
}

}  // namespace

int slice_ms(Deadline deadline) {
    constexpr auto slice = std::chrono::seconds(1);
    const auto now = Clock::now();
    if (deadline <= now) {
        return 0;
    }
    const auto left = deadline - now < slice ? deadline - now : slice;
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

Deadline after_ms(int milliseconds) {
    return Clock::now() + std::chrono::milliseconds(milliseconds);
}

Loss loss_by(const Disconnected& disconnected) noexcept {
    const int native = disconnected.native();
    const bool was_closed = native == 0 || native == ECONNREFUSED || native == ECONNRESET ||
                            native == EPIPE || native == ECONNABORTED;
    return was_closed ? Loss::gone : Loss::cut_off;
}

void Descriptor::close() noexcept {
    if (fd_ >= 0) {
        ::close(fd_);
    }
    fd_ = -1;
}

Bell::Bell() : event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!event_.is_open()) {
        throw CommError(fmt::format("tcp: no event descriptor ({})", words_of(errno)));
    }
}

void Bell::ring() const noexcept {
    const std::uint64_t one = 1;
    static_cast<void>(!write(event_.fd(), &one, sizeof one));
}

void Bell::silence() const noexcept {
    std::uint64_t count = 0;
    static_cast<void>(!read(event_.fd(), &count, sizeof count));
}

const sockaddr* Address::get() const noexcept {
    return static_cast<const sockaddr*>(static_cast<const void*>(&storage));
}

bool Address::is_six() const noexcept {
    return storage.ss_family == AF_INET6;
}

bool Address::is_loopback() const {
    const void* bytes = &storage;
    if (is_six()) {
        const auto& six = static_cast<const sockaddr_in6*>(bytes)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(&six) ||
               (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == IN_LOOPBACKNET);
    }
    const auto& four = static_cast<const sockaddr_in*>(bytes)->sin_addr;
    return ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET;
}

std::string Address::host() const {
    char text[NI_MAXHOST] = "?";
    getnameinfo(get(), length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    return text;
}

// The port stands at the same place in addresses of both kinds.
std::uint16_t Address::port() const {
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    sockaddr_in four{};
    std::memcpy(&four, &storage, sizeof four);
    return ntohs(four.sin_port);
}

void Address::set_port(std::uint16_t port) {
    sockaddr_in four{};
    std::memcpy(&four, &storage, sizeof four);
    four.sin_port = htons(port);
    std::memcpy(&storage, &four, sizeof four);
}

std::string to_string(const Address& address) {
    const char* form = address.is_six() ? "[{}]:{}" : "{}:{}";
    return fmt::format(fmt::runtime(form), address.host(), address.port());
}

std::vector<Address> resolve(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* first = nullptr;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(first, freeaddrinfo);
    if (error != 0) {
        throw CommError(fmt::format("tcp: no address of '{}' ({})", host, gai_strerror(error)));
    }
    std::vector<Address> addresses;
    for (const addrinfo* info = first; info != nullptr; info = info->ai_next) {
        Address address;
        std::memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
        address.length = info->ai_addrlen;
        addresses.push_back(address);
    }
    return addresses;
}

Socket::Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {
    set_option(fd(), IPPROTO_TCP, TCP_NODELAY, 1);
}

Socket Socket::connect(const Address& address, Deadline deadline) {
    Descriptor descriptor(
        socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!descriptor.is_open()) {
        throw CommError(fmt::format("tcp: no socket ({})", words_of(errno)));
    }
    start_connecting(descriptor.fd(), address);
    finish_connecting(descriptor.fd(), address, deadline);
    Socket connected(std::move(descriptor));
    // Where nobody listens a socket may be given that very port and meet itself.
    if (to_string(connected.local_address()) == to_string(address)) {
        throw Disconnected(fmt::format("tcp: nobody listens on {}", to_string(address)),
                           ECONNREFUSED);
    }
    return connected;
}

Address Socket::local_address() const {
    return asked_for(
        [this](sockaddr* into, socklen_t* length) { getsockname(fd(), into, length); });
}

void Socket::shut_down() const noexcept {
    ::shutdown(fd(), SHUT_RDWR);
}

std::size_t Socket::send_some(std::span<const iovec> pieces) const {
    const msghdr header = header_of(pieces);
    return moved(sendmsg(fd(), &header, MSG_NOSIGNAL));
}

std::size_t Socket::receive_some(std::span<const iovec> pieces) const {
    msghdr header = header_of(pieces);
    const ssize_t result = recvmsg(fd(), &header, 0);
    if (result == 0) {
        throw Disconnected("tcp: the other end has closed the connection", 0);
    }
    return moved(result);
}

std::size_t Socket::send_some(std::span<const std::byte> bytes) const {
    const iovec piece = piece_of(bytes);
    return send_some({&piece, 1});
}

std::size_t Socket::receive_some(std::span<std::byte> bytes) const {
    const iovec piece = piece_of(bytes);
    return receive_some({&piece, 1});
}

void Socket::send(std::span<const std::byte> bytes, Deadline deadline) const {
    while (!bytes.empty()) {
        bytes = bytes.subspan(send_some(bytes));
        if (!bytes.empty()) {
            wait_for(fd(), POLLOUT, deadline);
        }
    }
}

void Socket::receive(std::span<std::byte> bytes, Deadline deadline) const {
    while (!bytes.empty()) {
        wait_for(fd(), POLLIN, deadline);
        bytes = bytes.subspan(receive_some(bytes));
    }
}

void Socket::watch(int dead_after_ms, bool unacknowledged_too) const {
    const int seconds = std::max(1, dead_after_ms / 1000);
    const int interval = std::max(1, seconds / 5);
    set_option(fd(), SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd(), IPPROTO_TCP, TCP_KEEPIDLE, interval);
    set_option(fd(), IPPROTO_TCP, TCP_KEEPINTVL, interval);
    set_option(fd(), IPPROTO_TCP, TCP_KEEPCNT, std::max(1, seconds / interval - 1));
    if (unacknowledged_too) {
        set_option(fd(), IPPROTO_TCP, TCP_USER_TIMEOUT, dead_after_ms);
    }
}

Descriptor listen_on(const Address& address) {
    Descriptor listener(
        socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    set_option(listener.fd(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(listener.fd(), address.get(), address.length) != 0 ||
        listen(listener.fd(), SOMAXCONN) != 0) {
        throw CommError(
            fmt::format("tcp: cannot listen on {} ({})", to_string(address), words_of(errno)));
    }
    return listener;
}

Address address_of(const Descriptor& listener) {
    return asked_for(
        [&](sockaddr* into, socklen_t* length) { getsockname(listener.fd(), into, length); });
}

Socket accept_from(const Descriptor& listener) {
    Descriptor accepted(accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    return accepted.is_open() ? Socket(std::move(accepted)) : Socket();
}

}  // namespace lockstep::comm::tcp
