#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/error.hpp"

namespace lockstep {

/// Appends a number, seven bits a byte, the lowest first: below 128 it takes one byte, at most ten.
/// The high bit of a byte says that another one follows (LEB128, as in DWARF).
inline void put_varint(std::uint64_t number, std::vector<std::byte>& out) {
    for (; number >= 0x80; number >>= 7) {
        out.push_back(static_cast<std::byte>(number | 0x80));
    }
    out.push_back(static_cast<std::byte>(number));
}

/// Takes the first number from `rest`, which then starts behind it.
/// @throws InputError  the bytes end before it does, or it is longer than a number can be
inline std::uint64_t take_varint(std::span<const std::byte>& rest) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(rest.front());
        rest = rest.subspan(1);
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return number;
        }
    }
    throw InputError("a list of numbers is cut off");
}

}  // namespace lockstep
