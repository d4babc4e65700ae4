#include "comm/backends.hpp"

#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "lockstep/base/error.hpp"

namespace lockstep::comm {

std::string own_host() {
    utsname names{};
    return uname(&names) == 0 ? names.nodename : "unknown";
}

AlignedVector<std::byte> zeroed_bytes(std::size_t bytes) {
    const auto refuse = [bytes] {
        return IoError(fmt::format("region: no memory for {} bytes", bytes),
                       IoError::Direction::write);
    };
    try {
        return AlignedVector<std::byte>(bytes);
    } catch (const std::length_error&) {
        throw refuse();
    } catch (const std::bad_alloc&) {
        throw refuse();
    }
}

void check_message(int to, int ranks, std::size_t bytes, std::size_t room) {
    if (to < 0 || to >= ranks) {
        throw CommError(fmt::format("post: receiver is rank {}, must be 0 to {}", to, ranks - 1));
    }
    if (bytes > room) {
        throw CommError(
            fmt::format("post: a message of {} bytes, the mailbox holds {}", bytes, room));
    }
}

void check_forgotten(int rank, int ranks) {
    if (rank < 0 || rank >= ranks) {
        throw CommError(fmt::format("forget: rank {}, must be 0 to {}", rank, ranks - 1));
    }
}

std::span<std::byte> part_of(std::span<std::byte> receive,
                             const Layout& layout,
                             std::size_t width,
                             int rank) {
    if (layout.count(rank) == 0) {  // an empty part may start anywhere
        return {};
    }
    return receive.subspan(static_cast<std::size_t>(layout.offset(rank)) * width,
                           static_cast<std::size_t>(layout.count(rank)) * width);
}

}  // namespace lockstep::comm
