#pragma once

#include <span>

#include "lockstep/xpcs/nlsq/objective.hpp"
#include "lockstep/xpcs/nlsq/residuals.hpp"

namespace lockstep::test {

/// How far the Jacobian at x is from central differences: the largest difference of columns, as a
/// part of the column's length and of the residuals' over x.
double derivative_error(xpcs::nlsq::Residuals& residuals, std::span<const double> x);

/// The same of the gradient, by differences of the cost.
double derivative_error(xpcs::nlsq::Objective& objective, std::span<const double> x);

}  // namespace lockstep::test
