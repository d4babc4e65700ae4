#pragma once

#include <Eigen/Dense>

#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {

/// The spread of Jᵀr when residuals that share a block of time are correlated in any way and others
/// are not: sums over tiles of (block of t1, block of t2) are clustered by either block.
/// Equation (14) of docs/xpcs/theory.md.
/// @par Source  [Cameron2011]
Eigen::MatrixXd spread_of_blocks(const Measurement& measurement,
                                 const FitOptions& options,
                                 const FitResult& fit,
                                 int blocks);

}  // namespace lockstep::xpcs
