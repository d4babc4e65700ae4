#pragma once

#include <string>

#include "lockstep/formats/xpcs/batch.hpp"

namespace lockstep::app {

/// "scan_001: D0 9,921 +- 736 Å²/s, reduced chi2 4.04, 0.5 s" of a dataset that has ended, or why
/// it has not come to its end.
std::string batch_line(const formats::xpcs::BatchEntry& entry);

/// "18 datasets in 12 s, 2 failed".
std::string batch_sentence(const formats::xpcs::BatchRecord& record);

}  // namespace lockstep::app
