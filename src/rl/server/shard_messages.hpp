#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rl/server/messages.hpp"

// Where several servers hold the table, the first of them is this server, and the others have parts
// of it: a worker pulls from each, and pushes to each what is of its part, to the first all the
// rest. These tell the first what has come, and it tells all in one order what to apply.
namespace lockstep::rl {

struct Pull {
    std::uint64_t version = 0;  ///< at least
};
std::vector<std::byte> pack(const Pull& pull);
Pull unpack_pull(std::span<const std::byte> message);

/// Of a lease, what is about the states of one server.
struct LeasePart {
    LeaseId id;
    std::vector<std::byte> delta;       ///< as of LeaseResult
    std::vector<std::uint32_t> losses;  ///< the same
};
std::vector<std::byte> pack(const std::vector<LeasePart>& parts);
std::vector<LeasePart> unpack_parts(std::span<const std::byte> message);

/// arrived and forget
std::vector<std::byte> pack(MessageKind kind, const std::vector<LeaseId>& leases);
std::vector<LeaseId> unpack_leases(std::span<const std::byte> message);

/// One step of the table's version.
struct Apply {
    double share = 1;             ///< of the way, as SharedTable::compose()
    std::vector<LeaseId> leases;  ///< one; of a round by number of the environment, none: {}
};
std::vector<std::byte> pack(const Apply& apply);
Apply unpack_apply(std::span<const std::byte> message);

}  // namespace lockstep::rl
