#pragma once

#include <cstdint>

#include "lockstep/comm/communicator.hpp"

#include "rl/learn/table_store.hpp"

namespace lockstep::rl {

/// Compares the tables of all ranks by hashes of their blocks. Collective.
/// @param round  for the message
/// @throws CommError  they differ: names the ranks, the block, and its first state and action that
/// do
void check_consistency(comm::Communicator& ranks, const TableStore& table, std::int64_t round);

}  // namespace lockstep::rl
