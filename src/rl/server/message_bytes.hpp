#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/varint.hpp"

#include "rl/exchange/delta.hpp"
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

// Of a list, which takes at least a bit of each.
inline std::size_t count_of(std::span<const std::byte>& packed) {
    const std::uint64_t count = take_varint(packed);
    if (count > 8 * packed.size()) {
        throw InputError("a message of the parameter server is cut off");
    }
    return count;
}

inline void add_losses(ByteWriter& bytes, std::span<const std::uint32_t> losses) {
    std::vector<std::byte> packed;
    put_varint(losses.size(), packed);
    put_counts(losses, packed);
    bytes.add_array(packed);
}

inline std::vector<std::uint32_t> read_losses(ByteReader& bytes) {
    auto packed = bytes.view_array<std::byte>();
    std::vector<std::uint32_t> losses(count_of(packed));
    take_counts(packed, losses);
    return losses;
}

}  // namespace lockstep::rl
