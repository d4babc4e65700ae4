#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/index.hpp"

#include "comm/tcp/frame.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

/// A rank, wherever it is numbered now.
struct Member {
    int id = 0;  ///< rank at the start of the run
    std::string host;
    std::string node;     ///< equal where memory is shared
    std::string cores;    ///< that it may run on: set of bits
    std::string address;  ///< where it listens, in figures
    std::uint16_t port = 0;
};

/// Who belongs to the run: rank r is members[r].
struct Membership {
    std::uint32_t epoch = 0;      ///< 0: nobody has met yet; grows with every loss
    std::vector<Member> members;  ///< ids ascend

    [[nodiscard]] int size() const noexcept { return static_cast<int>(members.size()); }
    [[nodiscard]] const Member& member(int rank) const { return members[at(rank)]; }
    /// Rank of an id; -1: it does not belong.
    [[nodiscard]] int rank_of(int id) const noexcept;
    /// Tells communicators of this membership from those of others.
    [[nodiscard]] std::uint64_t fingerprint() const;
};
Bytes pack(const Membership& membership);
/// @throws CommError  malformed
Membership unpack_membership(std::span<const std::byte> bytes);

/// @throws CommError  it is no address in figures
Address address_of(const Member& member);

/// Names the memory that processes share: this boot of the machine, and the mount of /dev/shm.
std::string own_node();

/// The cores that this process may run on, and how many are in at least one of several such sets.
std::string own_cores();
int count_cores(const std::vector<std::string>& sets);

}  // namespace lockstep::comm::tcp
