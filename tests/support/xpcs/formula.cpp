#include "support/xpcs/formula.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

namespace lockstep::test {

FormulaResiduals::FormulaResiduals(int count, int parameters, ResidualFormula formula)
    : count_(count),
      parameters_(parameters),
      formula_(std::move(formula)),
      x_(at(parameters)),
      r_(at(count)) {}

bool FormulaResiduals::evaluate(std::span<const double> x,
                                std::span<double> residuals,
                                std::span<double> jacobian) {
    ++evaluations;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x_[i] = Dual(x[i], i);
    }
    formula_(x_, r_);
    bool finite = true;
    for (std::size_t k = 0; k < r_.size(); ++k) {
        residuals[k] = r_[k].value;
        finite = finite && std::isfinite(r_[k].value);
        for (std::size_t i = 0; i < x.size() && !jacobian.empty(); ++i) {
            jacobian[k * x.size() + i] = r_[k].slopes[i];
            finite = finite && std::isfinite(r_[k].slopes[i]);
        }
    }
    return finite;
}

bool GramObjective::evaluate(std::span<const double> x, xpcs::nlsq::NormalEquations& at) {
    const std::size_t p = x.size();
    const auto m = static_cast<std::size_t>(residuals_.count());
    std::vector<double> r(m);
    std::vector<double> jacobian(m * p);
    if (!residuals_.evaluate(x, r, jacobian)) {
        return false;
    }
    at.cost = 0;
    at.gradient.assign(p, 0);
    at.gram.assign(p * p, 0);
    for (std::size_t k = 0; k < m; ++k) {
        const double* row = jacobian.data() + k * p;
        at.cost += r[k] * r[k] / 2;
        for (std::size_t i = 0; i < p; ++i) {
            at.gradient[i] += row[i] * r[k];
            for (std::size_t j = 0; j < p; ++j) {
                at.gram[i * p + j] += row[i] * row[j];
            }
        }
    }
    return std::isfinite(at.cost);
}

}  // namespace lockstep::test
