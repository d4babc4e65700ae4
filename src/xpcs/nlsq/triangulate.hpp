#pragma once

#include "xpcs/nlsq/dense.hpp"

namespace lockstep::xpcs::nlsq {

/// Turns [J r] into [R Qᵀr] by Householder reflections: R is the upper triangle of the first
/// columns, and what stood below is spoilt. The order of sums is that of the rows, on every
/// machine.
/// @param system  [m, p + 1]
void triangulate(Matrix& system);

}  // namespace lockstep::xpcs::nlsq
