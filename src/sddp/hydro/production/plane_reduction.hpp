#pragma once

#include <vector>

#include "lockstep/sddp/production.hpp"

namespace lockstep::sddp {

/// Merges planes that follow each other and are alike into the mean of their coefficients. A plane
/// through the origin stays: no flow gives no power.
std::vector<ProductionPlane> merge_alike(const std::vector<ProductionPlane>& planes,
                                         const FitTask& task);

}  // namespace lockstep::sddp
