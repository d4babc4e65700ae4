#pragma once

#include "lockstep/app/observer.hpp"
#include "lockstep/sddp/observer.hpp"
#include "lockstep/sddp/train.hpp"

#include "app/sddp/time_left.hpp"

namespace lockstep::app {

// What the engine reports, in figures that every display understands.

Progress progress_of(const sddp::IterationReport& report,
                     const TimeLeft& time_left,
                     bool is_risk_averse);
/// @param seconds  since the simulation began
Progress simulation_progress(int done, int total, double seconds);
PhaseEnd end_of(const sddp::TrainResult& result);
PhaseEnd end_of(const sddp::SimulateResult& result);

}  // namespace lockstep::app
