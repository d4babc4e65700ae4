#pragma once

#include <optional>

#include "sddp/passes/trajectories.hpp"

namespace lockstep::sddp {

/// Runs all trajectories of an iteration; fills states, costs and bases. Collective.
///
/// Sampled: a unit is a node of a trajectory. Enumerated: a unit is a node, and the nodes of a
/// stage are exchanged before those of the next are begun. A unit starts from the basis that the
/// same one left when it was last done.
std::optional<Failure> forward_pass(Engine& engine, int iteration, Trajectories& trajectories);

}  // namespace lockstep::sddp
