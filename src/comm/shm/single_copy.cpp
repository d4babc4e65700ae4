#include "comm/shm/single_copy.hpp"

#include <bit>

#include <sys/uio.h>

namespace lockstep::comm {

// Numbers of processes may mean others in another namespace, so a known value must come back.
bool can_read_all_ranks(const ShmRoom& room) {
    for (int rank = 0; rank < room.size(); ++rank) {
        std::uint64_t cookie = 0;
        const auto& slot = room.slot(rank);
        if (!read_from_rank(room,
                            rank,
                            slot.cookie_address,
                            std::as_writable_bytes(std::span<std::uint64_t, 1>(&cookie, 1))) ||
            cookie != slot.cookie) {
            return false;
        }
    }
    return true;
}

// One call moves 2 GiB at most.
bool read_from_rank(const ShmRoom& room,
                    int rank,
                    std::uint64_t address,
                    std::span<std::byte> into) {
    const auto process = static_cast<pid_t>(room.slot(rank).process);
    while (!into.empty()) {
        const iovec local{into.data(), into.size()};
        const iovec remote{std::bit_cast<void*>(address), into.size()};
        const auto copied = process_vm_readv(process, &local, 1, &remote, 1, 0);
        if (copied <= 0) {
            return false;
        }
        into = into.subspan(static_cast<std::size_t>(copied));
        address += static_cast<std::uint64_t>(copied);
    }
    return true;
}

}  // namespace lockstep::comm
