#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/comm/communicator.hpp"

#include "sddp/hydro/stage/stage_problem.hpp"

namespace lockstep::sddp {

/// Moves what the stage LPs consist of to memory that the ranks of a node hold once, where they
/// can; afterwards it is read only. Every rank gives equal stages.
/// @returns bytes that this rank reads but does not hold
/// @throws CommError  a rank is gone
/// Collective over the node.
std::int64_t place_stages(std::vector<StageProblem>& stages,
                          std::shared_ptr<comm::Communicator> node);

}  // namespace lockstep::sddp
