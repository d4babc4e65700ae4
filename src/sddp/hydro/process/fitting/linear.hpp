#pragma once

#include <span>

#include "lockstep/base/matrix_view.hpp"

namespace lockstep::sddp {

/// Solves matrix·x = right; x replaces `right`, the matrix is used up.
///
/// Gaussian elimination with partial pivoting.
/// @return false when a pivot is below machine epsilon: no solution is made then
bool solve_linear(MatrixView<double> matrix, std::span<double> right);

}  // namespace lockstep::sddp
