#pragma once

#include "lockstep/runtime/team.hpp"
#include "lockstep/sddp/train.hpp"

#include "sddp/model/model.hpp"

namespace lockstep::sddp {

/// simulate() of a model. Collective.
SimulateResult run_simulation(Model& model,
                              Policy policy,
                              const SimulateOptions& options,
                              runtime::Team& team,
                              Observer& observer);

}  // namespace lockstep::sddp
