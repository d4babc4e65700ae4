#pragma once

#include "lockstep/app/sddp/summary.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::app {

// Fill a summary part by part, from metadata as it was written and results that are in memory.

void add_training(Summary& summary, const io::Json& metadata, const sddp::TrainResult& result);
void add_simulation(Summary& summary, const io::Json& metadata);

/// Adds the training part of the summary's directory, where an earlier run has left one that can be
/// read.
void add_training_on_disk(Summary& summary);

}  // namespace lockstep::app
