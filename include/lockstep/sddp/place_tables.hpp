#pragma once

#include <cstdint>
#include <memory>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// Moves the tables of a problem (by stage and block, inflow model, opening tree) to memory that
/// the ranks of a node hold once, where they can; afterwards they are read only. Every rank gives
/// an equal problem.
/// @param node  as split_local() made it
/// @returns bytes that this rank reads but does not hold
/// @throws CommError  a rank is gone
/// Collective over the node.
std::int64_t place_tables(Problem& problem, std::shared_ptr<comm::Communicator> node);

}  // namespace lockstep::sddp
