#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "lockstep/base/aligned.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {

// Each backend in a source of its own. One that was not built is a stand-in that throws
// NotBuiltError. Collective.
std::unique_ptr<Communicator> make_shm(const ShmConfig& config);
/// @param node  buffers, spinning and single copies between the ranks of a node
std::unique_ptr<Communicator> make_tcp(const TcpConfig& config, const ShmConfig& node);
std::unique_ptr<Communicator> make_mpi(const MpiConfig& config);

/// Name of this host, as uname tells it.
std::string own_host();

/// What was made from a communicator says this once that has recovered.
constexpr const char* revoked_words =
    "was made before a rank was lost; make it anew from the communicator that has recovered";

/// Memory of this process for a region.
/// @throws IoError  there is not as much
AlignedVector<std::byte> zeroed_bytes(std::size_t bytes);

/// Where a rank's elements of `width` bytes land in a gathered array.
std::span<std::byte> part_of(std::span<std::byte> receive,
                             const Layout& layout,
                             std::size_t width,
                             int rank);

/// What every mailbox checks before it takes a message.
/// @throws CommError  no such rank, or the message can never fit
void check_message(int to, int ranks, std::size_t bytes, std::size_t room);
/// What every mailbox checks before it forgets a rank.
/// @throws CommError  no such rank
void check_forgotten(int rank, int ranks);

}  // namespace lockstep::comm
