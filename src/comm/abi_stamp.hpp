#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// Raised with every change of what ranks exchange.
constexpr std::uint8_t wire_version = 1;

/// What two programs must have in common to exchange raw bytes at all, in words: "wire 1,
/// little-endian, 8-byte pointers, 8-byte doubles". Backends compare it before they exchange any.
std::string raw_layout();

/// What the ranks of a run must have in common, as they are to compute the same bits: raw_layout()
/// and the build.
std::string program_stamp();

/// Compares the stamps of all ranks, for connect(). Collective; counts as no call.
/// @throws WrongProgram  on all ranks, the same: the first rank that differs from rank 0, and both
/// stamps
void check_same_program(Communicator& communicator, std::string_view own);

}  // namespace lockstep::comm
