#pragma once

#include "lockstep/base/problems.hpp"

#include "formats/cobre/read/raw/stages.hpp"

namespace lockstep::formats::cobre {

/// Checks ids, dates, blocks, openings and seasons of stages.json. @pre stages are in order of
/// their ids
void check_stages(const raw::Stages& stages, Problems& problems);

}  // namespace lockstep::formats::cobre
