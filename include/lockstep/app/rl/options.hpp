#pragma once

#include "lockstep/app/option.hpp"
#include "lockstep/app/rl/evaluate.hpp"
#include "lockstep/app/rl/solve.hpp"
#include "lockstep/app/rl/train.hpp"

namespace lockstep::app {

/// set: parameters of the environment.
OptionTable<RunRequest> environment_settings();
OptionTable<SolveRequest> solve_options();
/// train_options() and what every run has.
OptionTable<TrainRequest> train_request_options();
OptionTable<EvaluateRequest> evaluate_options();

}  // namespace lockstep::app
