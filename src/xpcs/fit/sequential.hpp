#pragma once

#include <optional>

#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {

/// The fits of single angles and what they say together; no estimate where too few of them can be
/// used.
struct SequentialEnd {
    SequentialReport report{};
    std::optional<AngleEstimate> combined{};  ///< of the physical parameters that are fitted
    int iterations = 0;
    int evaluations = 0;
};

/// Collective.
SequentialEnd fit_angles(const Measurement& measurement,
                         const FitOptions& options,
                         runtime::Team& team);

}  // namespace lockstep::xpcs
