#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"

#include "formats/cobre/read/files.hpp"
#include "formats/cobre/read/raw/case.hpp"

namespace lockstep::formats::cobre {

/// What translated files do not say.
struct Translation {
    std::map<int, raw::EvaporationBasis> evaporation;  ///< by stage id, where months do not suffice
    std::vector<DeclaredRatio> ratios;
    std::string effects;  ///< what 0.5 read without effect and acts now; may be empty
};

/// Puts files of the 0.18 format in front of those of a case of Cobre 0.5, which is known by
/// training.forward_passes of its config.json. What 0.18 cannot say is an error.
/// @return  nothing for a case of 0.18
std::optional<Translation> translate_old_case(Files& files, Problems& problems);

}  // namespace lockstep::formats::cobre
