#pragma once

#include <string>

#include "lockstep/formats/homodyne/configuration.hpp"

namespace lockstep::formats::homodyne {

/// What a new configuration says of the measurement.
struct TemplateFacts {
    std::string folder = "./data";
    std::string file = "measurement.h5";
    double dt = 0.1;     ///< [s]
    int end_frame = -1;  ///< -1: the last of the file
    double q = 0.0054;   ///< [Å⁻¹]
    double gap = 2e6;    ///< [Å]
};

/// A configuration in YAML with comments that both homodyne and this program read.
std::string template_text(lockstep::xpcs::Motion motion, const TemplateFacts& facts);

}  // namespace lockstep::formats::homodyne
