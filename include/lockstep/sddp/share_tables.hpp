#pragma once

#include <cstdint>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::sddp {

/// Moves the tables of a problem (by stage and block, inflow model, opening tree) to memory that
/// the ranks of a node hold once, where they can; afterwards they are read only. Every rank gives
/// an equal problem.
/// @returns bytes that this rank reads but does not hold
/// @throws CommError  a rank is gone
/// Collective.
std::int64_t share_tables(Problem& problem, comm::Communicator& ranks);

}  // namespace lockstep::sddp
