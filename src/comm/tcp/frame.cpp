#include "comm/tcp/frame.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "comm/abi_stamp.hpp"

namespace lockstep::comm::tcp {
namespace {

constexpr std::uint16_t magic = 0x4c53;  // "LS"

const char* name_of(Tag tag) {
    constexpr const char* names[] = {"hello",      "challenge",    "proof",  "welcome",  "reject",
                                     "membership", "contribution", "result", "mismatch", "pair",
                                     "ring",       "ping",         "pong",   "failure",  "dead",
                                     "leave",      "move",         "abort",  "message",  "credit"};
    static_assert(std::size(names) == last_tag);
    return names[static_cast<std::size_t>(tag) - 1];
}

std::string describe(const FrameHeader& header) {
    return fmt::format("{} {} of {} bytes", name_of(header.tag), header.sequence, header.length);
}

}  // namespace

EncodedHeader encode(const FrameHeader& header) {
    EncodedHeader encoded{};
    std::size_t end = 0;
    const auto put = [&](auto value) {
        for (std::size_t i = sizeof value; i-- > 0;) {
            encoded[end++] = static_cast<std::byte>(value >> (8 * i) & 0xff);
        }
    };
    put(magic);
    put(wire_version);
    put(static_cast<std::uint8_t>(header.tag));
    put(std::uint32_t{0});
    put(header.sequence);
    put(header.info);
    put(header.length);
    return encoded;
}

FrameHeader decode(std::span<const std::byte, header_bytes> bytes) {
    Unpacker fields(bytes);
    if (fields.number<std::uint16_t>() != magic) {
        throw CommError("tcp: what came is no message of this program");
    }
    if (const auto version = fields.number<std::uint8_t>(); version != wire_version) {
        throw CommError(fmt::format("tcp: wire version {}, this rank speaks {}",
                                    static_cast<int>(version),
                                    static_cast<int>(wire_version)));
    }
    const auto tag = fields.number<std::uint8_t>();
    const auto flags = fields.number<std::uint32_t>();
    if (tag == 0 || tag > last_tag || flags != 0) {
        throw CommError(fmt::format(
            "tcp: unknown kind of message (tag {}, flags {:x})", static_cast<int>(tag), flags));
    }
    FrameHeader header;
    header.tag = static_cast<Tag>(tag);
    header.sequence = fields.number<std::uint32_t>();
    header.info = fields.number<std::uint32_t>();
    header.length = fields.number<std::uint64_t>();
    return header;
}

void check_header(const FrameHeader& found, const FrameHeader& expected) {
    if (found != expected) {
        throw CommError(fmt::format("tcp: ranks are out of step: {} came, {} was expected",
                                    describe(found),
                                    describe(expected)));
    }
}

Packer& Packer::raw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
}

Packer& Packer::text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    return raw(std::as_bytes(std::span(text)));
}

std::span<const std::byte> Unpacker::take(std::size_t bytes) {
    if (bytes > bytes_.size()) {
        throw CommError(
            fmt::format("tcp: a message ends {} bytes too early", bytes - bytes_.size()));
    }
    const auto taken = bytes_.first(bytes);
    bytes_ = bytes_.subspan(bytes);
    return taken;
}

std::string Unpacker::text() {
    std::string text;
    for (const std::byte byte : take(number<std::uint32_t>())) {
        text.push_back(static_cast<char>(byte));
    }
    return text;
}

void Unpacker::finish() const {
    if (!bytes_.empty()) {
        throw CommError(fmt::format("tcp: a message has {} bytes too many", bytes_.size()));
    }
}

Bytes frame_bytes(FrameHeader header, std::span<const std::byte> payload) {
    header.length = payload.size();
    const EncodedHeader encoded = encode(header);
    Bytes bytes(header_bytes + payload.size());
    std::ranges::copy(encoded, bytes.begin());
    std::ranges::copy(payload, bytes.begin() + header_bytes);
    return bytes;
}

void FrameReader::add(std::span<const std::byte> bytes) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(start_));
    start_ = 0;
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::optional<Frame> FrameReader::next() {
    const auto rest = std::span<const std::byte>(bytes_).subspan(start_);
    if (rest.size() < header_bytes) {
        return {};
    }
    const FrameHeader header = decode(rest.first<header_bytes>());
    if (header.length > longest_) {
        throw CommError(fmt::format("tcp: {} is longer than {} bytes", describe(header), longest_));
    }
    const auto length = static_cast<std::size_t>(header.length);
    if (rest.size() - header_bytes < length) {
        return {};
    }
    const auto payload = rest.subspan(header_bytes, length);
    start_ += header_bytes + length;
    return Frame{header, {payload.begin(), payload.end()}};
}

}  // namespace lockstep::comm::tcp
