#pragma once

#include <optional>

#include "sddp/passes/forward_pass.hpp"

namespace lockstep::sddp {

/// Makes one cut for each trial point, from the last stage to the first. Collective.
///
/// A unit is a node that may follow a trial point: all its openings along its path, or a part of
/// the path where there are few trial points. New cuts are exchanged and enter the pools of their
/// nodes in order of trial point before the stage before is begun.
/// @return the first failure; cuts of the stages behind it are in the pools all the same
std::optional<Failure> backward_pass(Engine& engine, int iteration, Trajectories& trajectories);

}  // namespace lockstep::sddp
