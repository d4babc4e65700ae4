#pragma once

#include <filesystem>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::formats::cobre::out {

/// Writes generic_constraints/, hydro_models/ and anticipated/ below `output`, what of them the
/// case has; removes what an earlier run left of the rest.
/// @throws IoError
void write_resolved(const std::filesystem::path& output,
                    const CaseFacts& input,
                    const sddp::Problem& problem);

/// Content of training/scaling_report.json.
io::Json scaling_report(const sddp::TrainResult& result, const sddp::Calendar& calendar);

}  // namespace lockstep::formats::cobre::out
