#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/xpcs/formula.hpp"

namespace lockstep::test {

/// A set of the NIST Statistical Reference Datasets for nonlinear regression, as its file says.
struct NistSet {
    std::string name{};
    std::array<std::vector<double>, 2> starts{};  ///< [p] each
    std::vector<double> certified{};              ///< [p]
    std::vector<double> errors{};                 ///< [p] certified standard errors
    double sum_of_squares = 0;
    double deviation = 0;  ///< of the residuals
    std::vector<double> y{};
    std::vector<std::array<double, 2>> x{};  ///< the second one for Nelson alone
};

/// "Misra1a", …: all 27.
std::span<const std::string> nist_names();
/// @throws IoError  no such file in tests/data/xpcs/nist
NistSet nist_set(const std::string& name);
/// Residuals y - model.
std::unique_ptr<FormulaResiduals> nist_residuals(const NistSet& set);

/// Digits of `found` that agree with the certified numbers, the least of them, at most 11:
/// -log10 of the largest relative error.
double agreeing_digits(std::span<const double> found, std::span<const double> certified);

}  // namespace lockstep::test
