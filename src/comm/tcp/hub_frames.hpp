#pragma once

#include <cstddef>

#include "comm/tcp/frame.hpp"

// After the handshake of every connection the hub says welcome once more: from then on both sides
// send messages. A visitor that spoke earlier could be taken for one that hangs up.
namespace lockstep::comm::tcp {

constexpr std::size_t longest_message = std::size_t{1} << 31U;
constexpr std::size_t chunk_bytes = std::size_t{64} << 10U;

/// @throws CommError  it is another frame
inline void check_message(const FrameHeader& header) {
    check_header(header, {Tag::message, 0, 0, header.length});
}

}  // namespace lockstep::comm::tcp
