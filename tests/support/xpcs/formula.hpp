#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/xpcs/nlsq/objective.hpp"
#include "lockstep/xpcs/nlsq/residuals.hpp"

#include "support/xpcs/dual.hpp"

namespace lockstep::test {

/// Fills the residuals at x.
using ResidualFormula = std::function<void(std::span<const Dual> x, std::span<Dual> residuals)>;

/// Residuals by a formula, with exact derivatives.
class FormulaResiduals : public xpcs::nlsq::Residuals {
public:
    FormulaResiduals(int count, int parameters, ResidualFormula formula);

    [[nodiscard]] std::ptrdiff_t count() const override { return count_; }
    [[nodiscard]] int parameters() const override { return parameters_; }
    bool evaluate(std::span<const double> x,
                  std::span<double> residuals,
                  std::span<double> jacobian) override;

    int evaluations = 0;

private:
    int count_;
    int parameters_;
    ResidualFormula formula_;
    std::vector<Dual> x_;
    std::vector<Dual> r_;
};

/// The same by its normal equations.
class GramObjective : public xpcs::nlsq::Objective {
public:
    explicit GramObjective(xpcs::nlsq::Residuals& residuals) : residuals_(residuals) {}
    [[nodiscard]] int parameters() const override { return residuals_.parameters(); }
    bool evaluate(std::span<const double> x, xpcs::nlsq::NormalEquations& at) override;

private:
    xpcs::nlsq::Residuals& residuals_;
};

}  // namespace lockstep::test
