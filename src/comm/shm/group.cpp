#include "comm/shm/group.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/agreed_outcome.hpp"
#include "comm/shm/communicator.hpp"
#include "comm/shm/single_copy.hpp"

namespace lockstep::comm {
namespace {

// A node talks through regions: what passes through its staging buffers is short.
constexpr std::size_t enough_bytes = std::size_t{256} << 10;

std::string group_name(const ShmConfig& settings, std::uint64_t nonce) {
    return fmt::format("{}.{:016x}.g", settings.name, nonce);
}

// One number of each rank, on every rank.
std::vector<std::uint64_t> gather(Communicator& communicator, std::uint64_t own) {
    const int size = communicator.size();
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
    communicator.allgatherv<std::uint64_t>(std::span(&own, 1), all, Layout::blocks(size, 1, size));
    return all;
}

}  // namespace

ShmGroup make_shm_group(Communicator& parent,
                        std::span<const int> members,
                        const ShmConfig& settings) {
    const int first = members.front();
    const auto rank = static_cast<int>(std::ranges::find(members, parent.rank()) - members.begin());
    // A rank alone exchanges nothing.
    const ShmRoom::Shape shape{
        static_cast<int>(members.size()),
        members.size() > 1 ? std::min(settings.buffer_bytes, enough_bytes) : 0};
    const auto nonces = gather(parent, rank == 0 ? shm_nonce() : 0);
    const auto name = group_name(settings, nonces[at(first)]);

    const ShmNameGuard guard(name);
    std::shared_ptr<ShmRoom> room;
    agree_on_outcome(parent, [&] {
        if (rank == 0) {
            room = ShmRoom::create(name, shape);
        }
    });
    agree_on_outcome(parent, [&] {
        if (rank != 0) {
            room = ShmRoom::join(name, rank, shape);
        }
        if (!room) {
            throw CommError(
                fmt::format("shared memory '{}' is not what rank {} made", name, first));
        }
    });
    const bool reads = settings.single_copy && can_read_all_ranks(*room);
    const bool single_copy = parent.allreduce(reads ? 1 : 0, ReduceOp::min) == 1;
    auto made = std::make_unique<ShmCommunicator>(
        std::move(room), settings, single_copy, ShmCommunicator::Role::part);
    auto revoke = made->revocation();
    return {std::move(made), std::move(revoke)};
}

}  // namespace lockstep::comm
