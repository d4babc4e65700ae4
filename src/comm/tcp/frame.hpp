#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::comm::tcp {

using Bytes = std::vector<std::byte>;

/// What a frame is for.
enum class Tag : std::uint8_t {
    hello = 1,     ///< handshake: who comes, and what for
    challenge,     ///< a nonce to answer
    proof,         ///< that the visitor knows the token
    welcome,       ///< that the host knows it as well
    reject,        ///< reason and text
    membership,    ///< who belongs to the run from now on
    contribution,  ///< stamp of a call and what the sender adds to it, to rank 0
    result,        ///< of the call, from rank 0
    mismatch,      ///< text: the ranks make different calls
    pair,          ///< contribution of one of two ranks, to the other
    ring,          ///< blocks that go around
    ping,
    pong,
    failure,  ///< a call failed somewhere
    dead,     ///< a rank is gone
    leave,    ///< the sender ends in good order
    move,     ///< the sender looks for the survivors
    abort,    ///< the sender ends the run
    message,  ///< of a mailbox
    credit,   ///< bytes of messages that were polled
};
constexpr auto last_tag = static_cast<std::uint8_t>(Tag::credit);

constexpr std::size_t header_bytes = 24;
/// Longest frame outside data and membership.
constexpr std::size_t control_bytes = 4096;

/// Precedes everything that travels: magic u16, version u8, tag u8, flags u32, sequence u32, info
/// u32, length u64, big-endian. No flags are defined: they are 0.
struct FrameHeader {
    Tag tag = Tag::ping;
    std::uint32_t sequence = 0;
    std::uint32_t info = 0;
    std::uint64_t length = 0;  ///< bytes that follow
    friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};
using EncodedHeader = std::array<std::byte, header_bytes>;

EncodedHeader encode(const FrameHeader& header);
/// @throws CommError  no frame of this version
FrameHeader decode(std::span<const std::byte, header_bytes> bytes);
/// @throws CommError  that says what came and what should have
void check_header(const FrameHeader& found, const FrameHeader& expected);

/// Big-endian numbers and texts, one after the other.
class Packer {
public:
    template <std::unsigned_integral T>
    Packer& number(T value) {
        for (std::size_t i = sizeof(T); i-- > 0;) {
            bytes_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
        }
        return *this;
    }
    Packer& raw(std::span<const std::byte> bytes);
    Packer& text(std::string_view text);
    [[nodiscard]] Bytes take() { return std::move(bytes_); }

private:
    Bytes bytes_;
};

/// Takes apart what Packer made.
class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
    /// @throws CommError  there are not so many bytes; so do the others
    template <std::unsigned_integral T>
    [[nodiscard]] T number() {
        T value = 0;
        for (const std::byte byte : take(sizeof(T))) {
            value = static_cast<T>(value << 8 | std::to_integer<T>(byte));
        }
        return value;
    }
    [[nodiscard]] std::span<const std::byte> take(std::size_t bytes);
    [[nodiscard]] std::string text();
    /// @throws CommError  bytes are left
    void finish() const;

private:
    std::span<const std::byte> bytes_;
};

struct Frame {
    FrameHeader header;
    Bytes payload;
};

/// Header and payload in one piece.
Bytes frame_bytes(FrameHeader header, std::span<const std::byte> payload);

/// Puts frames together from the pieces in which they come.
class FrameReader {
public:
    /// @param longest  payload that is taken
    explicit FrameReader(std::size_t longest) : longest_(longest) {}
    void add(std::span<const std::byte> bytes);
    /// The next whole frame.
    /// @throws CommError  what came is no frame, or a longer one
    [[nodiscard]] std::optional<Frame> next();

private:
    std::size_t longest_;
    Bytes bytes_;
    std::size_t start_ = 0;  // of what was not yet taken
};

}  // namespace lockstep::comm::tcp
