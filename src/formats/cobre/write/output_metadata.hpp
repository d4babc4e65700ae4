#pragma once

#include "lockstep/formats/cobre/output.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::cobre::out {

/// training/metadata.json.
io::Json training_metadata(const CaseFacts& input,
                           const sddp::Problem& problem,
                           const sddp::TrainResult& result,
                           const RunInfo& run);

/// simulation/metadata.json.
io::Json simulation_metadata(const CaseFacts& input,
                             const sddp::Problem& problem,
                             const sddp::SimulateResult& result,
                             const RunInfo& run);

}  // namespace lockstep::formats::cobre::out
