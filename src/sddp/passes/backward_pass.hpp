#pragma once

#include <optional>

#include "sddp/passes/forward_pass.hpp"

namespace lockstep::sddp {

/// Makes one cut for each trial point and stage, from the last stage to the first. Collective.
///
/// A unit is a trial point of a stage: all openings of the stage along the stage's path, or a part
/// of the path where there are few trial points. New cuts are exchanged and enter the pool in order
/// of trajectory before the stage before is begun.
/// @return the first failure; cuts of the stages behind it are in the pools all the same
std::optional<Failure> backward_pass(Engine& engine, int iteration, Trajectories& trajectories);

}  // namespace lockstep::sddp
