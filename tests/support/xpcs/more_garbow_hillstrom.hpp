#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/xpcs/formula.hpp"

namespace lockstep::test {

/// A problem of the collection of Moré, Garbow and Hillstrom with its standard start.
struct CollectedProblem {
    std::string name{};
    std::vector<double> start{};   ///< [n]
    int residuals = 0;             ///< m
    std::vector<double> minima{};  ///< sums of squares at minima that are known, the lowest first
};

/// What tests/data/xpcs/mgh/mgh_minima.csv lists; those for any n and m once, with n = 5, m = 10.
/// @throws IoError  the file is not there
std::vector<CollectedProblem> collected_problems();
std::unique_ptr<FormulaResiduals> collected_residuals(const CollectedProblem& problem);

}  // namespace lockstep::test
