#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comm/shm/room.hpp"

namespace lockstep::comm {

/// Whether this process may read the memory of every rank in the room, all of which have come.
bool can_read_all_ranks(const ShmRoom& room);

/// Copies what lies at `address` of another rank's process.
/// @returns false when it cannot be read
bool read_from_rank(const ShmRoom& room,
                    int rank,
                    std::uint64_t address,
                    std::span<std::byte> into);

}  // namespace lockstep::comm
