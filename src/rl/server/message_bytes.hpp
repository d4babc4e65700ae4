#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/varint.hpp"

#include "rl/server/messages.hpp"

// How messages of the parameter server begin, end, and hold what several of them have.
namespace lockstep::rl {

inline ByteWriter writer_of(MessageKind kind) {
    ByteWriter bytes;
    bytes.add(kind);
    return bytes;
}

inline ByteReader reader_of(std::span<const std::byte> message) {
    ByteReader bytes(message);
    static_cast<void>(bytes.read<MessageKind>());
    return bytes;
}

inline void check_end(const ByteReader& bytes) {
    if (!bytes.at_end()) {
        throw InputError("a message of the parameter server has bytes left over");
    }
}

inline void add_losses(ByteWriter& bytes, std::span<const std::uint32_t> losses) {
    std::vector<std::byte> packed;
    for (const std::uint32_t loss : losses) {
        put_varint(loss, packed);
    }
    bytes.add_array(packed);
}

inline std::vector<std::uint32_t> read_losses(ByteReader& bytes) {
    std::vector<std::uint32_t> losses;
    for (auto left = bytes.view_array<std::byte>(); !left.empty();) {
        losses.push_back(
            static_cast<std::uint32_t>(std::min<std::uint64_t>(take_varint(left), UINT32_MAX)));
    }
    return losses;
}

}  // namespace lockstep::rl
